// A small container for saved state: named sections of plain little-endian values behind a header that tells damage,
// truncation and foreign or newer files apart before anything is used. docs/formats/graph.md describes it byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/column.h"
#include "base/io/input.h"
#include "base/result.h"

namespace orrery {

/// The name of a section: four characters, "rows".
struct SectionTag {
  constexpr SectionTag(const char (&text)[5]) : value(0) {
    for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  }
  constexpr explicit SectionTag(std::uint32_t number) : value(number) {}
  bool operator==(const SectionTag&) const = default;
  [[nodiscard]] std::string text() const;  ///< printable: other characters as '?'

  std::uint32_t value;
};

/// What a section may hold: plain values without padding, so that the same content gives the same bytes.
template <typename T>
inline constexpr bool kIsSectionValue = alignof(T) <= 16 && std::is_trivially_copyable_v<T> &&
                                        (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
template <typename T>
concept SectionValue = kIsSectionValue<T>;

/// One row of the section table, as it lies in the file.
struct SectionEntry {
  std::uint32_t tag;
  std::uint32_t element_bytes;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};

/// Strings of one section, by number. Views stay valid as long as the SectionFile.
class StringTable {
 public:
  StringTable() = default;
  StringTable(std::span<const std::uint64_t> ends, const char* text) : ends_(ends), text_(text) {}
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {text_ + begin, ends_[i] - begin};
  }

 private:
  std::span<const std::uint64_t> ends_;
  const char* text_ = nullptr;
};

/// Collects sections, then writes them in the order they were added. The same sections give the same bytes.
class SectionWriter {
 public:
  /// `format` has at most 8 characters; `version` counts its incompatible changes.
  SectionWriter(std::string_view format, std::uint32_t version);

  /// Values that stay with the caller: they must live, unchanged, until the last write. A tag may be used once.
  template <typename Values>
  void add(SectionTag tag, const Values& values) {
    using T = std::remove_cvref_t<decltype(*std::data(values))>;
    static_assert(SectionValue<T>);
    add_bytes(tag, sizeof(T), {reinterpret_cast<const char*>(std::data(values)), std::size(values) * sizeof(T)});
  }
  /// Values that are copied.
  template <typename Values>
  void add_copy_of(SectionTag tag, const Values& values) {
    using T = std::remove_cvref_t<decltype(*std::data(values))>;
    static_assert(SectionValue<T>);
    add_copy(tag, sizeof(T),
             std::string(reinterpret_cast<const char*>(std::data(values)), std::size(values) * sizeof(T)));
  }
  /// One value, copied.
  template <SectionValue T>
  void add_value(SectionTag tag, const T& value) {
    add_copy(tag, sizeof(T), std::string(reinterpret_cast<const char*>(&value), sizeof(T)));
  }
  /// `text_of(i)` for i in [0, count), copied; for example every text of an Interner.
  template <typename TextOf>
  void add_strings(SectionTag tag, std::size_t count, TextOf&& text_of) {
    std::vector<std::uint64_t> head{count};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) head.push_back((text += text_of(i)).size());
    add_copy(tag, 1, std::string(reinterpret_cast<const char*>(head.data()), head.size() * sizeof(head[0])) + text);
  }

  /// Written aside and renamed into place. A name that ends in ".gz" is refused: the file is meant to be mapped.
  Status write(const std::string& path) const;
  [[nodiscard]] std::string to_bytes() const;

 private:
  struct Section {
    SectionTag tag;
    std::uint32_t element_bytes;
    std::string_view bytes;
  };
  void add_bytes(SectionTag tag, std::size_t element_bytes, std::string_view bytes);
  void add_copy(SectionTag tag, std::size_t element_bytes, std::string bytes);
  template <typename Put>
  void emit(Put&& put) const;

  std::string format_;
  std::uint32_t version_;
  std::vector<Section> sections_;
  std::vector<std::unique_ptr<const std::string>> copies_;
};

/// A file of sections, checked as a whole when opened: every byte is covered by a checksum or a rule, so a file that
/// opens is the file that was written. What the values mean is for the caller to check. Spans and views live as long as
/// the SectionFile (also when moved).
class SectionFile {
 public:
  static Result<SectionFile> open(const std::string& path, std::string_view format, std::uint32_t newest_version);
  /// Bytes in memory, which must outlive the SectionFile. `name` stands for the path in errors.
  static Result<SectionFile> from_bytes(std::string_view bytes, std::string name, std::string_view format,
                                        std::uint32_t newest_version);
  /// The format named in the header of a section file, or an empty view for any other content.
  static std::string_view detect(std::string_view bytes);

  [[nodiscard]] std::uint32_t version() const { return version_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(SectionTag tag) const { return find(tag) != nullptr; }

  /// The values of a section. An Error when it is missing or holds values of another size.
  template <SectionValue T>
  Result<std::span<const T>> get(SectionTag tag) const {
    const auto bytes = get_bytes(tag, sizeof(T));
    if (!bytes) return bytes.error();
    return std::span<const T>(reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T));
  }
  /// The value of a section that add_value wrote.
  template <SectionValue T>
  Result<T> get_value(SectionTag tag) const {
    const auto values = get<T>(tag);
    if (!values) return values.error();
    if (values->size() != 1) return error_at(tag, 0, "section '" + tag.text() + "' should hold exactly one value");
    return (*values)[0];
  }
  [[nodiscard]] Result<StringTable> get_strings(SectionTag tag) const;

  /// For the caller's own checks: an Error at a byte of a section.
  [[nodiscard]] Error error_at(SectionTag tag, std::uint64_t byte_in_section, std::string message,
                               std::string hint = {}) const;

 private:
  SectionFile() = default;
  Status check(std::string_view format, std::uint32_t newest_version);
  Status check_sections();
  [[nodiscard]] const SectionEntry* find(SectionTag tag) const;
  [[nodiscard]] Result<std::string_view> get_bytes(SectionTag tag, std::size_t element_bytes) const;
  [[nodiscard]] Error error(std::uint64_t offset, std::string message, std::string hint = {}) const;

  std::string path_;
  std::optional<MappedFile> file_;
  Column<char> aligned_;  // a copy, when the bytes given do not lie on a 16-byte border
  std::string_view bytes_;
  std::vector<SectionEntry> entries_;
  std::uint32_t version_ = 0;
};

}  // namespace orrery

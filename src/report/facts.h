// Facts: named values for programs, in the order in which they were told; objects and lists nest, and rows of Sheets
// stand among them. Kept as a tape, not as text: JSON is one way to read it (write_json), Python's dicts are another.
// An answer may have a row per edge of a path, so the tape is short: numbers in as few bytes as they need, and of a key
// only which one it is.
//
//     facts.field("verdict", verdict).key("window").begin_object().field("span_us", to_us(span)).end_object();
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/interner.h"
#include "base/json/json_writer.h"
#include "report/sheet.h"

namespace orrery::report {

/// Nesting and the alternation of keys and values are the caller's duty, as with JsonWriter.
class Facts {
 public:
  Facts() = default;
  Facts(Facts&&) = default;
  Facts& operator=(Facts&&) = default;

  Facts& begin_object() { return mark(Mark::begin_object); }
  Facts& end_object() { return mark(Mark::end_object); }
  Facts& begin_array() { return mark(Mark::begin_array); }
  Facts& end_array() { return mark(Mark::end_array); }
  Facts& key(std::string_view name) { return mark(Mark::key).put(number_of(name)); }

  Facts& value(std::string_view text) { return mark(Mark::text).put(text); }
  Facts& value(const char* text) { return value(std::string_view(text)); }
  Facts& value(const std::string& text) { return value(std::string_view(text)); }
  Facts& value(double number) { return mark(Mark::real).put(number); }
  Facts& value(bool flag) { return mark(flag ? Mark::yes : Mark::no); }
  template <typename Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
  Facts& value(Integer number) {
    if constexpr (std::is_signed_v<Integer>) return mark(Mark::integer).put(zigzag(number));
    else return mark(Mark::natural).put(std::uint64_t{number});
  }
  Facts& null() { return mark(Mark::null); }
  /// A number or text that is JSON already, as an input wrote it.
  Facts& raw(std::string_view json) { return mark(Mark::raw).put(json); }
  /// key(name) and value(v) in one call.
  template <typename T>
  Facts& field(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  /// Nanoseconds, exact where they are whole: other tools count in them, and are compared digit by digit.
  Facts& nanoseconds(std::string_view name, TimePs ps) {
    if (ps % kPsPerNs == 0) return field(name, ps / kPsPerNs);
    return field(name, static_cast<double>(ps) / static_cast<double>(kPsPerNs));
  }

  /// A list of objects, one per row. The sheet is kept.
  Facts& rows(std::shared_ptr<const Sheet> sheet) { return mark(Mark::rows).put(keep(std::move(sheet))); }
  /// One row as an object, or as members of the object that is open.
  Facts& row(std::shared_ptr<const Sheet> sheet, std::size_t row) { return row_of(Mark::row, std::move(sheet), row); }
  Facts& members(std::shared_ptr<const Sheet> sheet, std::size_t row) {
    return row_of(Mark::members, std::move(sheet), row);
  }
  /// For a caller who uses a sheet for several rows.
  static std::shared_ptr<const Sheet> share(Sheet sheet) { return std::make_shared<const Sheet>(std::move(sheet)); }

  /// What it takes in memory, without the sheets.
  [[nodiscard]] std::size_t size_bytes() const { return tape_.size(); }

  /// The members of the outermost object, which the writer has open.
  void write_json(JsonWriter& json) const;

  /// Goes through the tape: calls of `reader` are those of JsonWriter, and rows(sheet), row(sheet, row),
  /// members(sheet, row).
  template <typename Reader>
  void read(Reader&& reader) const;

 private:
  enum class Mark : std::uint8_t {
    begin_object,
    end_object,
    begin_array,
    end_array,
    key,
    text,
    real,
    yes,
    no,
    integer,
    natural,
    null,
    raw,
    rows,
    row,
    members,
  };

  Facts& mark(Mark mark) {
    tape_.push_back(static_cast<char>(mark));
    return *this;
  }
  Facts& put(double value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    tape_.append(bytes, sizeof value);
    return *this;
  }
  /// Seven bits a byte, the lowest first; the eighth bit says that more follow.
  Facts& put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) tape_.push_back(static_cast<char>(value | 0x80));
    tape_.push_back(static_cast<char>(value));
    return *this;
  }
  Facts& put(std::string_view text) {
    put(std::uint64_t{text.size()});
    tape_ += text;
    return *this;
  }
  /// Small numbers of either sign become small ones without: 0, -1, 1, -2 are 0, 1, 2, 3.
  static std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  std::uint64_t number_of(std::string_view key);
  std::uint64_t keep(std::shared_ptr<const Sheet> sheet) {
    if (sheets_.empty() || sheets_.back() != sheet) sheets_.push_back(std::move(sheet));
    return sheets_.size() - 1;
  }
  Facts& row_of(Mark how, std::shared_ptr<const Sheet> sheet, std::size_t row) {
    return mark(how).put(keep(std::move(sheet))).put(std::uint64_t{row});
  }
  double take_real(std::size_t& at) const {
    double value;
    std::memcpy(&value, tape_.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::uint64_t take_natural(std::size_t& at) const {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(tape_[at++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t take_integer(std::size_t& at) const {
    const std::uint64_t value = take_natural(at);
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  std::string_view take_text(std::size_t& at) const {
    const auto size = static_cast<std::size_t>(take_natural(at));
    at += size;
    return std::string_view(tape_).substr(at - size, size);
  }

  std::string tape_;
  Interner keys_;
  std::vector<StringId> next_key_;  // by key: the one that came after it last time
  StringId last_key_ = 0;
  std::vector<std::shared_ptr<const Sheet>> sheets_;
};

template <typename Reader>
void Facts::read(Reader&& reader) const {
  for (std::size_t at = 0; at < tape_.size();) {
    switch (static_cast<Mark>(tape_[at++])) {
      case Mark::begin_object: reader.begin_object(); break;
      case Mark::end_object: reader.end_object(); break;
      case Mark::begin_array: reader.begin_array(); break;
      case Mark::end_array: reader.end_array(); break;
      case Mark::key: reader.key(keys_.text(static_cast<StringId>(take_natural(at)))); break;
      case Mark::text: reader.value(take_text(at)); break;
      case Mark::real: reader.value(take_real(at)); break;
      case Mark::yes: reader.value(true); break;
      case Mark::no: reader.value(false); break;
      case Mark::integer: reader.value(take_integer(at)); break;
      case Mark::natural: reader.value(take_natural(at)); break;
      case Mark::null: reader.null(); break;
      case Mark::raw: reader.raw(take_text(at)); break;
      case Mark::rows: reader.rows(*sheets_[take_natural(at)]); break;
      case Mark::row: {
        const Sheet& sheet = *sheets_[take_natural(at)];
        reader.row(sheet, take_natural(at));
        break;
      }
      case Mark::members: {
        const Sheet& sheet = *sheets_[take_natural(at)];
        reader.members(sheet, take_natural(at));
        break;
      }
    }
  }
}

}  // namespace orrery::report

// StringIds: the texts of an export, each once, by the numbers that all other tables have instead of texts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "base/sqlite/id_table.h"

namespace orrery::nsys {

/// Texts become texts of the trace when they are first used: an export also has those of call stacks and modules.
class TextTable {
 public:
  static constexpr std::size_t kNone = IdTable<StringId>::kNone;

  void add(std::int64_t id, std::string_view text) { entries_.add(id, texts_.intern(text)); }
  /// To be called once, after the last add. Of two texts of one number the first counts.
  void finish() { entries_.finish(); }

  /// The place of a text, for caches; kNone if there is none of that number. O(1) where numbers have few gaps.
  [[nodiscard]] std::size_t find(std::int64_t id) const { return entries_.place(id); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view text(std::size_t place) const { return texts_.text(entries_[place]); }

 private:
  IdTable<StringId> entries_;
  Interner texts_;
};

/// What a use of texts makes of them in the trace, each looked at once.
class NameCache {
 public:
  /// `shown` says what becomes of a text; it may return a part of it.
  NameCache(const TextTable& texts, Interner& strings, std::string_view (*shown)(std::string_view))
      : texts_(texts), strings_(strings), shown_(shown) {}

  /// 0, the empty text, if there is no text of that number.
  StringId find(std::int64_t id) {
    const std::size_t place = texts_.find(id);
    if (place == TextTable::kNone) return 0;
    if (names_.empty()) names_.assign(texts_.size(), Interner::kMissing);
    if (names_[place] == Interner::kMissing) names_[place] = strings_.intern(shown_(texts_.text(place)));
    return names_[place];
  }
  [[nodiscard]] bool has(std::int64_t id) const { return texts_.find(id) != TextTable::kNone; }

 private:
  const TextTable& texts_;
  Interner& strings_;
  std::string_view (*shown_)(std::string_view);
  std::vector<StringId> names_;
};

/// "cudaLaunchKernel" of "cudaLaunchKernel_v7000", "cudaStreamGetCaptureInfo_v2" of
/// "cudaStreamGetCaptureInfo_v2_v11030": the version of CUDA that a call came with is no part of its name.
std::string_view without_version(std::string_view name);
inline std::string_view as_it_is(std::string_view name) { return name; }

}  // namespace orrery::nsys

// Strings as 32-bit numbers: each distinct text is stored once and numbered in order of first appearance.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/column.h"

namespace orrery {

using StringId = std::uint32_t;

/// Number 0 is always the empty string. Views returned by `text` stay valid as long as the interner lives, also when it
/// grows or is moved. Not thread-safe while interning.
class Interner {
 public:
  Interner();

  StringId intern(std::string_view text);
  /// The number of `text`, or kMissing.
  [[nodiscard]] StringId find(std::string_view text) const;
  [[nodiscard]] std::string_view text(StringId id) const { return {texts_[id].data, texts_[id].size}; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const;

  static constexpr StringId kMissing = ~StringId{0};

 private:
  struct Text {
    const char* data;
    std::size_t size;
  };
  struct Slot {
    std::uint32_t hash;
    StringId id_plus_one;  // 0: free
  };

  const char* store(std::string_view text);
  void rehash(std::size_t slots);

  Column<Text> texts_;
  Column<Slot> slots_;
  std::vector<Column<char>> blocks_;
};

}  // namespace orrery

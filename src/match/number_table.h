// Numbers for distinct keys, in order of first appearance: what turns grouping into counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::match {

/// Mixes the bits of `value` into `hash`.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// `Key` has ==, and hash() of a 64-bit integer. Open addressing: O(1), without an allocation per key.
template <typename Key>
class NumberTable {
 public:
  std::uint32_t number_of(const Key& key) {
    if (keys_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& slot = find(key);
    if (slot == kEmpty) {
      slot = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back(key);
    }
    return slot;
  }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::uint32_t& find(const Key& key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key.hash() & mask;
    while (slots_[at] != kEmpty && !(keys_[slots_[at]] == key)) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kEmpty);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) find(keys_[i]) = i;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // Invariant: a power of two, at least half empty.
};

}  // namespace orrery::match

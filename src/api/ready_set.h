// A set of numbers below a limit, of which the smallest can be taken: a bitmap, a bitmap of its words that are not
// zero, and so on up.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace orrery::api {

/// O(log64 limit) per call, limit / 63 words. For the nodes of a trace, which mostly become ready in ascending order, a
/// level or two are touched: a heap would compare and move.
class ReadySet {
 public:
  explicit ReadySet(std::size_t limit) {
    do {
      limit = limit / 64 + 1;
      levels_.emplace_back(limit, 0);
    } while (limit > 1);
  }

  [[nodiscard]] bool empty() const { return levels_.back()[0] == 0; }

  void insert(std::uint32_t number) {
    std::size_t bit = number;
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[bit / 64];
      const bool known_above = word != 0;
      word |= std::uint64_t{1} << (bit % 64);
      if (known_above) return;
      bit /= 64;
    }
  }

  /// Removes and returns the smallest. The set must not be empty.
  std::uint32_t pop() {
    std::size_t number = 0;
    for (std::size_t level = levels_.size(); level-- > 0;)
      number = number * 64 + static_cast<std::size_t>(std::countr_zero(levels_[level][number]));
    std::size_t bit = number;
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[bit / 64];
      word &= ~(std::uint64_t{1} << (bit % 64));
      if (word != 0) break;
      bit /= 64;
    }
    return static_cast<std::uint32_t>(number);
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // levels_[0]: a bit per number; the last has one word
};

}  // namespace orrery::api

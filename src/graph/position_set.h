// A set of positions that is read in ascending order while later ones are still being added. Private to src/graph.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/column.h"
#include "graph/types.h"

namespace orrery::graph {

/// A bitmap and a bitmap of its non-zero words: a pass over a nearly empty set of n positions reads n / 4096 words.
class PositionSet {
 public:
  explicit PositionSet(Position size) : size_(size), words_(size / 64 + 1, 0), summary_(size / 4096 + 1, 0) {}

  void insert(Position p) {
    words_[p / 64] |= bit(p);
    summary_[p / 4096] |= bit(p / 64);
  }
  void erase(Position p) { words_[p / 64] &= ~bit(p); }

  /// The smallest member at or after `from`; the size when there is none.
  [[nodiscard]] Position next(Position from) {
    if (from >= size_) return size_;
    std::size_t word = from / 64;
    std::uint64_t members = words_[word] & (~std::uint64_t{0} << (from % 64));
    while (members == 0) {
      const std::size_t next_word = next_used(word + 1);
      if (next_word >= words_.size()) return size_;
      word = next_word;
      members = words_[word];
    }
    return static_cast<Position>(word * 64 + static_cast<unsigned>(std::countr_zero(members)));
  }

  void clear() {
    std::fill(words_.begin(), words_.end(), 0);
    std::fill(summary_.begin(), summary_.end(), 0);
  }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

  /// The first word at or after `word` that may have members. Words that ran empty are struck from the summary on the way.
  std::size_t next_used(std::size_t word) {
    for (std::size_t group = word / 64; group < summary_.size(); ++group) {
      std::uint64_t used = summary_[group];
      if (group == word / 64) used &= ~std::uint64_t{0} << (word % 64);
      for (; used != 0; used &= used - 1) {
        const std::size_t found = group * 64 + static_cast<unsigned>(std::countr_zero(used));
        if (words_[found] != 0) return found;
        summary_[group] &= ~bit(found);
      }
    }
    return words_.size();
  }

  Position size_;
  Column<std::uint64_t> words_;
  Column<std::uint64_t> summary_;
};

}  // namespace orrery::graph

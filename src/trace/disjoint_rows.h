// Rows for stretches of time on which nothing overlaps.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/units.h"

namespace orrery::trace {

/// As many rows as stretches ever overlap; each goes to the first that is free, so that rows fill from the top.
class DisjointRows {
 public:
  /// To be called by ascending start. O(log rows).
  std::uint32_t take(TimePs start, TimePs end) {
    // Those that end at this moment are free for what begins at it.
    for (; !busy_.empty() && busy_.top().first <= start; busy_.pop()) free_.push(busy_.top().second);
    std::uint32_t row = count_;
    if (free_.empty()) ++count_;
    else row = free_.top(), free_.pop();
    busy_.emplace(end, row);
    return row;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  using End = std::pair<TimePs, std::uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> busy_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t count_ = 0;
};

}  // namespace orrery::trace

// Operations of a rank that wait for the same processor and interface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/loggops/operations.h"

namespace orrery::simulate::loggops {

/// LogGOPSim puts every operation that finds its processor busy back into the queue of events, to try again when it is
/// free; n operations try n times each. Since whoever waits for the same processor and interface tries again at the
/// same time, in the same order, only the first in line needs to: the outcome is the same, and each tries about once.
class WaitingLine {
 public:
  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::uint64_t first_order() const { return waiting_.empty() ? kNobody : waiting_.front().order; }
  [[nodiscard]] OpIndex first() const { return waiting_.front().op; }

  /// True if it is now the first in line, so that an event must be made for it.
  bool join(std::uint64_t order, OpIndex op) {
    const bool is_first = order < first_order();
    waiting_.push_back({order, op});
    std::push_heap(waiting_.begin(), waiting_.end(), later);
    return is_first;
  }
  void leave() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    waiting_.pop_back();
  }

 private:
  struct Waiting {
    std::uint64_t order;
    OpIndex op;
  };
  static bool later(const Waiting& a, const Waiting& b) { return a.order > b.order; }

  std::vector<Waiting> waiting_;  // a heap: almost always joined at its end
};

}  // namespace orrery::simulate::loggops

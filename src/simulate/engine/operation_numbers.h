// The number of every collective and message of a job: how the network tells them apart, and the order in which they
// start at one moment.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/network_model.h"
#include "workload/membership.h"

namespace orrery::simulate {

/// Collectives communicator by communicator, each in program order; then messages by source, in program order of its
/// sends. Where all programs say how long they are, without gaps; else every communicator and source has the same share
/// of all numbers, which is the same order.
class OperationNumbers {
 public:
  /// Lengths have to be right: the supply of windows sees to that.
  explicit OperationNumbers(const workload::Membership& membership);

  [[nodiscard]] OpId collective(std::uint32_t communicator, std::uint64_t place) const {
    return first_[communicator] + place;
  }
  [[nodiscard]] OpId message(std::uint32_t source, std::uint64_t send) const {
    return first_[communicators_ + source] + send;
  }
  [[nodiscard]] bool is_collective(OpId id) const { return id < first_[communicators_]; }

  struct Place {
    std::uint32_t line = 0;   ///< a communicator, or the source of a message
    std::uint64_t place = 0;  ///< on the communicator, or among the sends of the source
  };
  /// O(log(communicators + ranks)), and mostly less: see guide_.
  [[nodiscard]] Place find(OpId id) const;

 private:
  std::uint32_t communicators_;
  void make_guide();

  std::vector<std::uint64_t> first_;  // per communicator, per rank, and the total
  /// By id >> guide_shift_: the last line that begins at or before the first of these ids, and one more (Chen and Asau,
  /// On generating random variates from an empirical distribution, 1974). Where lines are about equally long, it leaves
  /// one or two to choose from.
  std::vector<std::uint32_t> guide_;
  int guide_shift_ = 0;
};

}  // namespace orrery::simulate

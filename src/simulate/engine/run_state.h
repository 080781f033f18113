// Where a simulation stands: plain values that the run changes and the explanation of a deadlock reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/column.h"
#include "base/units.h"
#include "simulate/engine/job_plan.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

inline constexpr TimePs kNotYet = -1;

/// Activities that wait for a slot, smallest first.
class ReadySet {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  void push(std::uint32_t activity) {
    heap_.push_back(activity);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  std::uint32_t pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint32_t activity = heap_.back();
    heap_.pop_back();
    return activity;
  }

 private:
  std::vector<std::uint32_t> heap_;
};

struct RankState {
  ReadySet ready[kSlotKinds];
  std::uint32_t free_slots[kSlotKinds] = {};
  std::uint32_t computing = 0;      ///< compute activities running
  std::uint32_t communicating = 0;  ///< messages and collectives running
  TimePs counted_until = 0;         ///< what RankUse covers
  bool touched = false;             ///< has a place in the list of ranks to dispatch
};

/// One communicator of one rank.
struct StreamState {
  std::uint32_t started = 0;  ///< activities from the front of the stream
  std::uint32_t running = 0;
  bool touched = false;
};

struct CollectiveState {
  std::uint32_t arrived = 0;
  std::uint32_t awaited = 0;
};

struct MessageState {
  bool send_ready = false;
  bool recv_ready = false;
  bool arrived = false;
};

struct RunState {
  Schedule schedule;              ///< kNotYet where an activity has not started or ended
  Column<std::uint32_t> waiting;  ///< per activity: dependencies that have not ended, or not started where that is enough
  std::vector<RankState> ranks;
  std::vector<StreamState> streams;     ///< by JobPlan::first_stream
  Column<CollectiveState> collectives;  ///< by operation
  Column<MessageState> messages;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  TimePs now = 0;
};

}  // namespace orrery::simulate

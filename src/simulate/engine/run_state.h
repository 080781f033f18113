// Where a simulation stands: plain values that the run changes and the explanation of a deadlock reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/units.h"
#include "simulate/engine/job_plan.h"
#include "simulate/engine/rank_classes.h"
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

/// One executed rank.
struct RankState {
  ReadySet ready[kSlotKinds];
  std::uint32_t free_slots[kSlotKinds] = {};
  std::uint32_t computing = 0;      ///< compute activities running
  std::uint32_t communicating = 0;  ///< messages and collectives running
  TimePs counted_until = 0;         ///< what RankUse covers
  bool touched = false;             ///< has a place in the list of ranks to dispatch
};

/// One communicator of one executed rank.
struct StreamState {
  std::uint32_t started = 0;  ///< activities from the front of the stream
  std::uint32_t running = 0;
  bool touched = false;
};

/// The communicators whose members are, place by place, of the same classes: what one does they all do.
struct Bundle {
  std::vector<std::uint32_t> communicators;
  std::vector<std::uint32_t> classes;  ///< of their members, each once
  std::uint64_t first = 0;             ///< into RunState::collectives
};

struct CollectiveState {
  std::uint32_t arrived = 0;   ///< classes
  std::uint32_t finished = 0;  ///< communicators
};

/// A message between an executed rank and its partner, from the moment one side is ready until both have ended.
struct MessageState {
  std::uint32_t recv = kNone;  ///< an activity, once it is ready
  std::uint32_t finished = 0;  ///< how many of the class have arrived
  bool send_ready = false;
  bool arrived = false;
};

struct RunState {
  RankClasses classes;
  std::vector<std::uint64_t> first_activity;  ///< per class, and the total
  std::vector<std::uint64_t> first_stream;    ///< per class, and the total
  std::vector<std::uint64_t> first_message;   ///< per class, and the total: sends of the classes before

  Schedule schedule;                 ///< kNotYet where an activity has not started or ended
  Column<std::uint32_t> waiting;     ///< per activity: dependencies that have not ended, or not started where that is enough
  std::vector<RankState> ranks;      ///< per class
  std::vector<StreamState> streams;  ///< by first_stream
  std::vector<Bundle> bundles;
  std::vector<std::uint32_t> bundle_of;  ///< by first_stream: into `bundles`
  std::vector<std::uint32_t> bundle_of_communicator;
  Column<CollectiveState> collectives;                       ///< by Bundle::first and place
  std::unordered_map<std::uint64_t, MessageState> messages;  ///< by first_message and place of the send: those under way
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  TimePs now = 0;

  /// Nothing has started.
  RunState(const JobPlan& plan, RankClasses rank_classes);
  [[nodiscard]] const Bundle& bundle(std::uint32_t number, std::uint32_t stream) const {
    return bundles[bundle_of[first_stream[number] + stream]];
  }
};

}  // namespace orrery::simulate

// Why an activity started when it did: one set of rules, for the engine, which tells causes as they happen
// (simulate/schedule_sink.h), and for the schedules of other simulators, where the times have to tell
// (simulate/causes.h).
//
// An activity that starts the moment the last of its dependencies is done started because of that one. One that was
// ready before waited for a slot, or for its turn on its communicator: until the moment when another one gave it up.
// Otherwise nothing held it back: it is where its rank begins. Of several at one moment a dependency comes before a
// slot or turn; of these the smallest activity counts, on a communicator the first. So a cause does not depend on the
// order in which what happens at one moment is looked at.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace orrery::simulate {

/// What the start of an activity waited for.
enum class CauseKind : std::uint8_t {
  begin,         ///< nothing
  dependency,    ///< the end of an activity it depends on
  start,         ///< the start of one where that is enough
  slot,          ///< the end of one that had its slot
  turn,          ///< the end of the collective before it on its communicator
  last_arrival,  ///< of an end, not a start: a partner, which was ready after it
};
std::string_view to_string(CauseKind kind);

/// Of an activity of the same rank.
struct StartCause {
  CauseKind kind = CauseKind::begin;
  std::uint64_t activity = 0;  ///< what was waited for, counted through the windows of the program; itself for begin
  TimePs ready_ps = 0;  ///< when the last of its dependencies was done: from then on it waited for a slot or its turn
};

/// Of the dependencies of an activity, the one that was done last.
class LastDone {
 public:
  /// `activity` has ended at that time, or started where that is enough.
  void offer(TimePs at, std::uint64_t activity, bool on_start) {
    const std::uint64_t order = activity << 1 | (on_start ? 1 : 0);
    if (at < at_ || (at == at_ && order >= order_)) return;
    at_ = at;
    order_ = order;
  }
  /// -1 if it depends on nothing.
  [[nodiscard]] TimePs at() const { return at_; }
  [[nodiscard]] std::uint64_t activity() const { return order_ >> 1; }
  [[nodiscard]] CauseKind kind() const { return (order_ & 1) != 0 ? CauseKind::start : CauseKind::dependency; }

 private:
  TimePs at_ = -1;
  std::uint64_t order_ = 0;
};

/// Of those that had a slot, or were before it on its communicator, the one that ended last.
class LastEnd {
 public:
  /// `order`: of several at one moment the smallest counts.
  void offer(TimePs at, std::uint64_t order, std::uint64_t activity) {
    if (at < at_ || (at == at_ && order >= order_)) return;
    at_ = at;
    order_ = order;
    activity_ = activity;
  }
  [[nodiscard]] TimePs at() const { return at_; }
  [[nodiscard]] std::uint64_t activity() const { return activity_; }

 private:
  TimePs at_ = -1;
  std::uint64_t order_ = 0, activity_ = 0;
};

/// Why `activity` started at `start`. `queue`: slot or turn, with whom it had to wait for there; begin for what waits
/// in no queue. `begin`: when its rank did.
StartCause explain_start(std::uint64_t activity, TimePs start, TimePs begin, const LastDone& done, CauseKind queue,
                         const LastEnd& before);

}  // namespace orrery::simulate

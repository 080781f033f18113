// Why each activity of a schedule started, and ended, when it did: as the engine told it (Schedule::causes), else found
// again from the times, by the same rules (simulate/schedule.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "simulate/engine/program_plan.h"
#include "simulate/schedule.h"
#include "simulate/wait_sums.h"

namespace orrery::simulate {

/// An activity of a rank.
struct ActivityPlace {
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;

  friend bool operator==(const ActivityPlace&, const ActivityPlace&) = default;
};

struct Cause {
  CauseKind kind = CauseKind::begin;
  ActivityPlace place;  ///< what was waited for; itself for begin

  friend bool operator==(const Cause&, const Cause&) = default;
};

class Causes {
 public:
  /// Both must outlive this. The schedule is one of a simulator of this workload, or of its replay.
  Causes(const workload::Matching& matching, const Schedule& schedule, bool is_replay = false);
  /// `plan` is made as for a replay if the schedule is of one.
  Causes(const JobPlan& plan, const Schedule& schedule) : Causes(plan.matching, schedule, plan.is_replay) {}

  [[nodiscard]] TimePs start_of(ActivityPlace place) const { return schedule_.start_ps[number(place)]; }
  [[nodiscard]] TimePs end_of(ActivityPlace place) const { return schedule_.end_ps[number(place)]; }

  /// Why it started then. O(1) if it was told; else O(dependencies), and once per rank O(activities).
  [[nodiscard]] Cause of_start(ActivityPlace place);
  /// When everything that it depends on was done; 0 if it depends on nothing. O(dependencies).
  [[nodiscard]] TimePs ready_of(ActivityPlace place) const;
  /// Of a collective or message: who was ready last, among those who take part (KeptCauses::last_places). Of anything
  /// else: kItself.
  [[nodiscard]] std::uint32_t last_place(ActivityPlace place) const;
  /// The activity of who was ready last, which may be itself.
  [[nodiscard]] ActivityPlace last_arrival(ActivityPlace place) const;
  /// Of a message: whether its send ended without waiting for its receive.
  [[nodiscard]] bool is_eager(ActivityPlace place) const;
  /// Its place in the columns of the schedule: of a rank that was not executed, that of the one which stands for it.
  [[nodiscard]] std::uint64_t number(ActivityPlace place) const { return first_[row_of(place.rank)] + place.activity; }

 private:
  [[nodiscard]] const workload::Workload& workload() const { return matching_.workload(); }
  [[nodiscard]] Resource resource(ActivityPlace place) const {
    return planned_resource(workload().program(place.rank), place.activity, is_replay_);
  }
  [[nodiscard]] bool are_told() const { return !schedule_.causes.empty(); }
  [[nodiscard]] std::uint32_t row_of(std::uint32_t rank) const {
    return schedule_.class_of_rank.empty() ? rank : schedule_.class_of_rank[rank];
  }
  [[nodiscard]] LastDone last_done(ActivityPlace place) const;
  [[nodiscard]] LastEnd slot_before(ActivityPlace place);
  [[nodiscard]] LastEnd turn_before(ActivityPlace place) const;
  [[nodiscard]] std::uint32_t last_member(ActivityPlace place) const;
  [[nodiscard]] std::uint32_t last_side(ActivityPlace place) const;
  [[nodiscard]] std::optional<Message> message_of(ActivityPlace place) const;
  [[nodiscard]] bool ends_early(const Message& message) const;

  const workload::Matching& matching_;
  const Schedule& schedule_;
  const bool is_replay_;
  std::vector<std::uint64_t> first_;  // per executed rank: of its activities in the schedule
  using ByEnd = std::unordered_map<TimePs, std::vector<std::uint32_t>>;
  std::unordered_map<std::uint32_t, ByEnd> ends_;  // per executed rank, as far as asked: what has slots
  std::map<std::pair<std::uint32_t, std::uint32_t>, Message> taken_;
};

/// A piece of the critical path: `place` ran from `from_ps` to `to_ps`, or the data of its collective or message moved.
struct PathPiece {
  ActivityPlace place;
  TimePs from_ps = 0;
  TimePs to_ps = 0;
  CauseKind then = CauseKind::begin;  ///< why it could not be earlier: how it hangs on the piece before
};

/// From the end of what ends last (of several: the lowest rank and activity) back to time 0, across ranks; the earliest
/// piece first. Pieces touch: together they are the makespan. Empty without activities. All activities of a schedule
/// must be there, so that those of a job which was made in windows are collected first (workload::collect).
std::vector<PathPiece> critical_path(Causes& causes, const workload::Workload& workload, const Schedule& schedule);

// What the activities of a kept schedule waited for, added up: the sums that a SummedSchedule makes while a run goes.

/// The arguments must belong together, as for critical_path(). O(activities + dependencies), and what Causes takes
/// where nothing was told.
WaitSums sum_waits(Causes& causes, const JobPlan& plan, const Schedule& schedule);

}  // namespace orrery::simulate

// Why each activity of a schedule started, and ended, when it did: found again from the times, so that nothing has to be kept for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "simulate/engine/job_plan.h"
#include "simulate/schedule.h"

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

/// An activity of a rank.
struct ActivityPlace {
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;

  friend bool operator==(const ActivityPlace&, const ActivityPlace&) = default;
};

struct Cause {
  CauseKind kind = CauseKind::begin;
  ActivityPlace place;  ///< what was waited for; itself for begin
};

/// Of several causes that end at the same moment a dependency comes before a slot or turn, and the smallest activity first.
class Causes {
 public:
  /// Both must outlive this. The schedule is one of the engine, or of a replay, of this workload.
  Causes(const JobPlan& plan, const Schedule& schedule);

  [[nodiscard]] TimePs start_of(ActivityPlace place) const { return schedule_.start_ps[number(place)]; }
  [[nodiscard]] TimePs end_of(ActivityPlace place) const { return schedule_.end_ps[number(place)]; }

  /// Why it started then. O(dependencies), and once per rank O(activities).
  [[nodiscard]] Cause of_start(ActivityPlace place);
  /// Of a collective or message: who was ready last, which may be itself. Of anything else: itself.
  [[nodiscard]] ActivityPlace last_arrival(ActivityPlace place) const;
  /// Of a message: whether its send ended without waiting for its receive.
  [[nodiscard]] bool is_eager(ActivityPlace place) const;
  /// Its place in the columns of the schedule: of a rank that was not executed, that of the one which stands for it.
  [[nodiscard]] std::uint64_t number(ActivityPlace place) const { return first_[row_of(place.rank)] + place.activity; }

 private:
  [[nodiscard]] std::uint32_t row_of(std::uint32_t rank) const {
    return schedule_.class_of_rank.empty() ? rank : schedule_.class_of_rank[rank];
  }
  [[nodiscard]] ActivityPlace last_member(ActivityPlace place) const;
  [[nodiscard]] ActivityPlace last_side(ActivityPlace place) const;
  [[nodiscard]] std::optional<Message> message_of(ActivityPlace place) const;
  [[nodiscard]] bool is_eager(const Message& message) const;
  [[nodiscard]] Cause of_slot(ActivityPlace place);

  const JobPlan& plan_;
  const Schedule& schedule_;
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

/// From the end of what ends last (of several: the lowest rank and activity) back to time 0, across ranks; the earliest piece first. Pieces
/// touch: together they are the makespan. Empty without activities.
std::vector<PathPiece> critical_path(Causes& causes, const JobPlan& plan, const Schedule& schedule);

/// The same for a workload whose plan is not at hand.
Result<std::vector<PathPiece>> critical_path(const workload::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate

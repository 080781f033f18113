// Where a schedule goes while it is made: kept (engine/kept_schedule.h), added up (summed_schedule.h), or written on by
// whoever asks.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/units.h"
#include "simulate/engine/rank_classes.h"
#include "simulate/schedule.h"
#include "workload/membership.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// What is known of a run before it begins. Lives as long as the run.
struct RunLayout {
  const workload::Membership& membership;
  const RankClasses& classes;  ///< the first rank of each is executed; it stands for the others
  const Bundles& bundles;      ///< of the communicators
};

/// An activity of an executed rank.
struct ExecutedActivity {
  std::uint32_t rank_class = 0;
  std::uint64_t number = 0;                    ///< counted through the windows of the rank's program
  const workload::Program* program = nullptr;  ///< a window of it, for as long as the call lasts,
  std::uint32_t activity = 0;                  ///< and where it is there
};

/// A message that went to a receive which was open to several.
struct TakenMessage {
  std::uint32_t source = 0, target = 0;  ///< ranks
  std::uint64_t send = 0, recv = 0;      ///< counted through the windows of their programs
  std::int64_t bytes = 0;
};

/// Who of a collective or message was ready last. Of eager messages the send is ready for its receive when it has
/// ended.
struct LastArrival {
  std::uint32_t rank = 0;         ///< itself if nobody was ready after it
  std::uint32_t place = kItself;  ///< of that rank among those who take part (in the group; 0 is the sender, 1 the
                                  ///< receiver): see KeptCauses
  std::uint32_t line = 0;         ///< the stream or channel, of what the program announced (workload::ProgramStructure)
  TimePs arrived_ps = 0;          ///< when it was ready itself
  TimePs last_ps = 0;             ///< when that rank was

  /// How long it waited for that rank: not at all for a message that was under way when its receive was posted.
  [[nodiscard]] TimePs waited_ps() const { return last_ps > arrived_ps ? last_ps - arrived_ps : 0; }
};

/// Called by one thread. Times never go back; what happens at one moment comes in an order that is the same for the
/// same input. An activity that takes no time starts and ends at one moment. Every activity that started has ended when
/// the run is over without an Error.
class ScheduleSink {
 public:
  virtual ~ScheduleSink() = default;

  /// Before anything runs; and again if the run begins anew, because ranks that seemed alike are not: then nothing told
  /// so far counts. An Error ends the run.
  virtual Status begin(const RunLayout& layout) = 0;
  virtual void started(const ExecutedActivity& activity, TimePs now) = 0;
  virtual void ended(const ExecutedActivity& activity, TimePs now) = 0;
  /// Collective number `place` of each communicator of a bundle.
  virtual void collective_ended(std::uint32_t bundle, std::uint64_t place, const CollectiveUse& use) = 0;
  virtual void message_taken(const TakenMessage& /*message*/) {}

  /// Asked after each begin(): whether what the job does again, all ranks as before and at the same distances of time,
  /// need not be told again. Where it need not, the engine marks parts of what it tells, at moments when nothing runs
  /// and every class that is not done ended something, and says how often each came again: which is what counts, not
  /// when.
  [[nodiscard]] virtual bool takes_steady_state() const { return false; }
  virtual void begin_part(TimePs /*now*/) {}
  /// What was told since begin_part(). If it is kept, its number is returned, counted from 0 for each begin().
  virtual std::size_t end_part(bool /*keep*/) { return 0; }
  /// Time passed in parts that were not told: nothing runs, as at the begin of a part.
  virtual void passed_to(TimePs /*now*/) {}
  /// At the end of the run: a part came `times` times more often than it was told.
  virtual void part_came_again(std::size_t /*part*/, std::uint64_t /*times*/) {}

  /// Asked after each begin(): whether activities of different classes, and collectives, may be told in any order, so
  /// that times go back. An activity is told when it starts, and later when it ends, whatever comes in between. A run
  /// that looked ahead wrongly begins anew.
  [[nodiscard]] virtual bool takes_any_order() const { return false; }

  /// Asked after each begin(): whether the next two are wanted. Where they are not, they cost nothing; where they are,
  /// 24 bytes per activity of the windows that ranks are in.
  [[nodiscard]] virtual bool wants_causes() const { return false; }
  /// Right after started(): why it started then.
  virtual void start_explained(const ExecutedActivity& /*activity*/, const StartCause& /*cause*/, TimePs /*now*/) {}
  /// Of each collective and message, once it is known and before it has ended.
  virtual void last_arrival_known(const ExecutedActivity& /*activity*/, const LastArrival& /*last*/) {}
};

}  // namespace orrery::simulate

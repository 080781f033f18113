// What would happen: when every activity of a graph runs on a machine, and how much every rank, collective and link is
// used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"
#include "simulate/link_series.h"
#include "workload/matching.h"

namespace orrery::simulate {

// Why an activity started when it did: one set of rules, for the engine, which tells causes as they happen
// (simulate/schedule_sink.h), and for the schedules of other simulators, where the times have to tell
// (simulate/causes.h).
//
// An activity that starts the moment the last of its dependencies is done started because of that one. One that was
// ready before waited for a slot, or for its turn on its communicator: until the moment when another one gave it up.
// Otherwise nothing held it back: it is where its rank begins. Of several at one moment a dependency comes before a
// slot or turn; of these the smallest activity counts, on a communicator the first. So a cause does not depend on the
// order in which what happens at one moment is looked at.

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

/// What one rank did with its time.
struct RankUse {
  TimePs finish_ps = 0;   ///< end of its last activity
  TimePs compute_ps = 0;  ///< time in which its device computed anything
  TimePs communication_ps =
      0;  ///< time in which any of its messages or collectives ran, waiting for the other ranks included
  TimePs exposed_ps = 0;  ///< the part of communication_ps in which its device computed nothing

  friend bool operator==(const RankUse&, const RankUse&) = default;
};

/// One collective, over all its ranks.
struct CollectiveUse {
  workload::Collective kind = workload::Collective::all_reduce;
  StringId group_name = 0;  ///< in Workload::strings; 0: all ranks
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;  ///< as CommOp::bytes counts them
  TimePs first_arrival_ps = 0;
  TimePs last_arrival_ps = 0;  ///< when it starts to move data
  TimePs end_ps = 0;
  std::uint32_t instances =
      1;  ///< how many groups did the same at the same time, of which this is one: see Schedule::class_of_rank
  bool is_measured = false;  ///< its time was, on the device; else links made it (NetworkModel::is_measured)

  friend bool operator==(const CollectiveUse&, const CollectiveUse&) = default;
};

/// Bus bandwidth by NCCL's definition, in bytes per second: size over time, times the share of the size that the link
/// of a rank has to carry at least, whatever the algorithm: 2(n-1)/n for all_reduce; (n-1)/n for all_gather,
/// reduce_scatter and all_to_all; 1 for broadcast and reduce (nccl-tests, doc/PERFORMANCE.md, "Bus bandwidth"); (n-1)/n
/// for gather and scatter (its src/gather.cu and src/scatter.cu). `bytes` as CommOp::bytes counts them. 0 for a
/// barrier, a single rank, or no time.
double bus_bytes_per_second(workload::Collective kind, std::int64_t bytes, std::uint32_t ranks, TimePs elapsed);
/// As achieved. The time counts from the last arrival.
double bus_bytes_per_second(const CollectiveUse& collective);

/// Instead of the place of who was ready last: nobody was later than the activity itself; or it waits for nobody, as an
/// eager send.
inline constexpr std::uint32_t kItself = ~std::uint32_t{0}, kNobody = kItself - 1;

/// Why activities started and ended when they did, as the engine told it. Per activity, 9 bytes in all; empty if nobody
/// asked. Simulators that tell nothing are asked for their times instead: simulate/causes.h reads both.
struct KeptCauses {
  Column<std::uint8_t> kinds;        ///< CauseKind of its start
  Column<std::uint32_t> activities;  ///< of its own rank: whose end, or start, that was; itself for begin
  Column<std::uint32_t>
      last_places;  ///< of collectives and messages: who was ready last, see LastArrival::place; of others kItself

  [[nodiscard]] bool empty() const { return kinds.empty(); }
};

/// The outcome of one simulation. Activities and links are numbered as in the graph and the machine that were
/// simulated; time 0 is the start of the simulation. All values are integers, so that equal schedules are equal byte
/// for byte, on any machine and for any number of threads. A plain value: whoever fills it calls check().
struct Schedule {
  /// Per activity; of communication: when its rank is ready for it, not when the last partner is. Empty, as end_ps and
  /// collectives, if these went to a sink (simulate/schedule_sink.h).
  Column<TimePs> start_ps;
  Column<TimePs> end_ps;  ///< per activity
  KeptCauses causes;      ///< per activity, if they were asked for (EngineOptions::keep_causes)

  Column<std::uint64_t> link_bytes;         ///< per link: bytes carried
  Column<TimePs> link_busy_ps;              ///< per link: time during which it carried anything, at whatever rate
  Column<std::uint32_t> link_peak_sharing;  ///< per link: most operations at once
  LinkSeries link_series;  ///< when links carried their bytes, if that was asked for (EngineOptions::keep_link_series)

  Column<RankUse> ranks;  ///< per rank; empty if nobody asked
  /// Where ranks that behave alike were executed as one (Detail::executed_ranks): per rank its class, and per class the
  /// rank that was executed. Activities are then those of executed_ranks, one after the other, and a collective stands
  /// for `instances` of them. Else both are empty.
  Column<std::uint32_t> class_of_rank;
  Column<std::uint32_t> executed_ranks;
  /// Who took whose message, where receives were open to several: in the order in which it was decided.
  Column<workload::Message> taken;
  Column<CollectiveUse>
      collectives;  ///< by communicator (all ranks first, then Workload::groups in order), each in program order

  Schedule() = default;
  /// All zero, without ranks and collectives.
  Schedule(std::size_t activities, std::size_t links);

  [[nodiscard]] std::size_t activity_count() const { return start_ps.size(); }
  /// The ranks that activities are of, in their order: executed_ranks, or all.
  [[nodiscard]] std::vector<std::uint32_t> ranks_with_activities(std::size_t rank_count) const;
  [[nodiscard]] std::size_t link_count() const { return link_bytes.size(); }

  /// When the last activity ends; 0 without activities.
  [[nodiscard]] TimePs makespan_ps() const;

  /// Columns of equal length; 0 <= start <= end for every activity; no link busy for less than nothing, for longer than
  /// the makespan, or for no time while carrying bytes; what was recorded of a link over time adds up to its bytes; no
  /// rank busy for longer than until its finish; every collective's arrivals and end in order. The Error names the
  /// first activity, link, rank or collective that breaks this.
  [[nodiscard]] Status check() const;

  friend bool operator==(const Schedule& a, const Schedule& b);
};

}  // namespace orrery::simulate

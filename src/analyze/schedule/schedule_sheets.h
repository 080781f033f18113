// A simulated run as Sheets: when every rank finishes, what every link carried, how every collective went, what the
// critical path consists of, what the makespan reacts to, what was waited for. Times are in nanoseconds, in which the
// simulators that this is held against count; everything else in Orrery is in microseconds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/schedule/schedule_reasons.h"
#include "report/sheet.h"
#include "simulate/causes.h"
#include "simulate/schedule.h"
#include "simulate/summed_schedule.h"
#include "simulate/wait_sums.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// The rank that ends last; of equal ones the first. There must be one.
std::size_t last_rank(const simulate::Schedule& schedule);

/// Per rank: rank, finish_ns, exposed_comm_ns, compute_ns, exposed_comm_share_pct (of its time).
report::Sheet ranks_sheet(const simulate::Schedule& schedule);

/// Per link that carried something: link, bytes, busy_ns, busy_share_pct (of the makespan), peak_sharing. `names` by
/// link.
report::Sheet links_sheet(const simulate::Schedule& schedule, std::span<const std::string> names);

/// Per collective, in the order of the schedule: kind, group, ranks, bytes, groups (that did the same at the same
/// time), first_arrival_ns, last_arrival_ns, end_ns, bus_gb_per_s.
report::Sheet collectives_sheet(const workload::Workload& workload, const simulate::Schedule& schedule);

/// Per kind, number of ranks and size, those that moved data for longest first: kind, ranks, bytes, calls, mean_wait_ns
/// (for the last to arrive), mean_ns (from then on), slowest_bus_gb_per_s.
report::Sheet collective_kinds_sheet(const simulate::CollectiveSums& sums);

/// Of a schedule that has every collective.
simulate::CollectiveSums sums_of(const simulate::Schedule& schedule);

/// Per activity, rank by rank: rank, id, start_ns, end_ns. Of schedules that have them all (Detail::every_rank).
report::Sheet nodes_sheet(const workload::Workload& workload, const simulate::Schedule& schedule);

/// Per piece of the critical path, front to back: rank, id, name, kind, start_ns, end_ns, after (why it could not be
/// earlier).
report::Sheet path_pieces_sheet(const workload::Workload& workload, std::span<const simulate::PathPiece> path);

/// What the pieces of one name and kind add up to, the largest first: name, kind, ranks, pieces, time_ns, share_pct (of
/// the makespan).
report::Sheet path_parts_sheet(const workload::Workload& workload, std::span<const simulate::PathPiece> path,
                               TimePs makespan);

/// Per sort of activity, in the order of `reactions`: what, group (null unless it is a collective), pieces, on_path_ns,
/// share_pct (of the makespan: its derivative with respect to the sort), least_slack_ns, makespan_10_pct_less_ns (if
/// each of the sort took that much less), change_pct.
report::Sheet reactions_sheet(std::span<const Reaction> reactions, TimePs makespan);

/// Per kind of cause and of activity, those that waited for longest in all first: cause, kind, activities (of all
/// ranks), mean_wait_ns, longest_wait_ns, wait_per_rank_ns (the sum over `ranks`).
report::Sheet waits_sheet(const simulate::WaitSums& waits, std::size_t ranks);

/// Per rank that others waited for, as the last to arrive; those that were waited for longest in all first: rank, waits
/// (how many activities of others waited), mean_wait_ns, longest_wait_ns, share_pct (of all waiting for others).
report::Sheet late_ranks_sheet(const simulate::WaitSums& waits);

/// Per phase, those that took longest in all first: phase, mean_ns (of all `ranks`), longest_ns (of one rank),
/// share_pct (of the time of all ranks), activities (of all ranks).
report::Sheet phases_sheet(const simulate::PhaseSums& phases, const Interner& strings, std::size_t ranks);

}  // namespace orrery::analyze

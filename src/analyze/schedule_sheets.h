// A simulated run as Sheets: when every rank finishes, what every link carried, how every collective went. Times are in nanoseconds, in which
// the simulators that this is held against count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/sheet.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// Per rank: rank, finish_ns, exposed_comm_ns, compute_ns.
report::Sheet ranks_sheet(const simulate::Schedule& schedule);

/// Per link that carried something: link, bytes, busy_ns, peak_sharing. `names` by link.
report::Sheet links_sheet(const simulate::Schedule& schedule, std::span<const std::string> names);

/// Per collective, in the order of the schedule: kind, group, ranks, bytes, groups (that did the same at the same time), first_arrival_ns,
/// last_arrival_ns, end_ns, bus_gb_per_s.
report::Sheet collectives_sheet(const workload::Workload& workload, const simulate::Schedule& schedule);

/// All three.
std::vector<report::Sheet> schedule_sheets(const workload::Workload& workload, const simulate::Schedule& schedule,
                                           std::span<const std::string> link_names);

}  // namespace orrery::analyze

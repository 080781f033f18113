// What is in a workload, as Sheets: for programs of which no times were recorded, so that there is no trace to
// describe.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "report/sheet.h"
#include "workload/workload.h"

namespace orrery::analyze {

// What a workload says that a simulation will not heed.

/// Compute nodes that only say how much they do, not how long it took (S103): for simulations in recorded times.
void remark_on_missing_durations(const workload::Workload& workload, Diagnostics& diagnostics);

/// Compute nodes that only say how long they took, not how much they do (S115): for simulations by a roofline, which
/// cannot change them.
void remark_on_missing_operations(const workload::Workload& workload, Diagnostics& diagnostics);

/// Attributes that ASTRA-sim's own models give a meaning to, and ours do not: priorities (S106), dimensions left out
/// (S107).
void remark_on_unused_attributes(const workload::Workload& workload, Diagnostics& diagnostics);

/// workload     one row: path, format, ranks, programs (ranks that do the same share one), activities, dependencies,
/// groups activities   kind (of collectives which one), count over all ranks, ranks that have any, bytes and operations
/// as far as given, on_host; by count groups       name, members, ranks; the listed ones, then those by role. The world
/// is not listed
std::vector<report::Sheet> workload_sheets(const workload::Workload& workload, const std::string& path,
                                           std::string_view format);

/// Their places in that list.
inline constexpr std::size_t kWorkloadOfInfo = 0, kActivitiesOfInfo = 1, kGroupsOfInfo = 2;

/// Whether the programs fit together: collectives and messages find their partners (workload/matching.h), and the ranks
/// that the files speak of are all there. What does not fit is added as C312 and C313.
void check_workload(const workload::Workload& workload, Diagnostics& diagnostics);

}  // namespace orrery::analyze

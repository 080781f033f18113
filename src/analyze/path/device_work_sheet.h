// What the devices of a job did, by name, with what of it bounds the step: a Sheet.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/device/kernel_sums.h"
#include "analyze/path/causal_path.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per name the time of device work on the path.
using DeviceTimeOnPath = std::map<std::string, TimePs, std::less<>>;
DeviceTimeOnPath device_time_on_path(const causal::CausalGraph& job, const PathSums& path);

/// One row per name and kind, in the order of `sums` (sum_over_ranks), the name of the rest unknown: name, names (that
/// the row stands for), kind, calls, total_us, mean_us, least_us, most_us, on_path_us, on_path_share_pct: of a path of
/// `length`.
report::Sheet device_work_sheet(const Interner& strings, const std::vector<KernelSum>& sums,
                                const DeviceTimeOnPath& on_path, TimePs length);

}  // namespace orrery::analyze

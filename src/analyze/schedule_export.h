// A simulated run as files: for Perfetto, and for every analysis that takes traces.
#pragma once

#include <string>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// If `path` is a folder, or ends in '/' (it is then made): one file per rank, rank_N.json.gz, with what the host did, as `orrery path` needs
/// it. Otherwise one file with the timeline of all ranks and arrows for messages, for viewing; compressed if its name ends in .gz.
/// Files are complete or absent; of several, those before the first that failed stay.
Status export_schedule(const workload::Workload& workload, const simulate::Schedule& schedule, const std::string& path);

}  // namespace orrery::analyze

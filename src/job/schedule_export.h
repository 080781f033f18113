// A simulated run as files: for Perfetto, and for every analysis that takes traces.
#pragma once

#include <string>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::job {

/// Whether export_schedule takes `path` for a folder: it is one, ends in '/', or is the name of nothing yet and does not end as traces do
/// (.json, .json.gz, .json.zst).
bool writes_folder(const std::string& path);

/// If `path` is meant as a folder, which is then made: one file per rank, rank_N.json.gz, with what the host did, as `orrery path` needs
/// it. Otherwise one file with the timeline of all ranks and arrows for messages, for viewing; compressed if its name ends in .gz.
/// All files appear, or none does.
Status export_schedule(const workload::Workload& workload, const simulate::Schedule& schedule, const std::string& path);

}  // namespace orrery::job

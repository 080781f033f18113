// A simulated run as files: for Perfetto, and for every analysis that takes traces.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::job {

/// Whether export_schedule takes `path` for a folder: it is one, ends in '/', or is the name of nothing yet and does
/// not end as traces do
/// (.json, .json.gz, .json.zst, .pftrace, .pftrace.gz).
bool writes_folder(const std::string& path);

/// If `path` is meant as a folder, which is then made: one file per rank, rank_N.json.gz, with what the host did, as
/// `orrery path` needs it. Otherwise one file with the timeline of all ranks and arrows for messages, for viewing;
/// compressed if its name ends in .gz. A name that ends in .pftrace or .pftrace.gz is written in Perfetto's own format,
/// with the links whose use over time was kept as counters. All files appear, or none does.
Status export_schedule(const workload::Workload& workload, const simulate::Schedule& schedule,
                       std::span<const std::string> link_names, const std::string& path);
/// Whether `path` is that: the use of links over time is then worth keeping.
bool shows_links(const std::string& path);

}  // namespace orrery::job

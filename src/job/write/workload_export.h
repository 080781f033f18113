// A workload as files that other simulators run: ASTRA-sim, LogGOPSim and SimGrid.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "job/write/generated_files.h"
#include "simulate/loggops/collectives.h"
#include "workload/source.h"

namespace orrery::job {

/// The formats by name, separated by blanks.
inline constexpr std::string_view kExportFormats = "chakra goal ti";

/// PREFIX.0.et, ... (chakra, with PREFIX.groups.json if there are groups), PREFIX.goal, or PREFIX.txt and
/// PREFIX_rank-0.txt, ... (ti). GOAL has messages only: collectives are written as the messages that the model loggops
/// makes of them. All activities of all ranks are held. An Error of the writers names what their format has no word
/// for. `collectives`: how GOAL's messages are made of them.
Result<GeneratedFiles> export_workload(workload::WorkloadSource& source, std::string_view format,
                                       const std::string& prefix,
                                       const simulate::loggops::CollectiveOptions& collectives = {});

/// A schedule for LogGOPSim. The workload must not speak of roles.
Status write_goal(const workload::Workload& workload, const std::string& path,
                  const simulate::loggops::CollectiveOptions& collectives = {});

}  // namespace orrery::job

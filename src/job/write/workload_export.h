// A workload as files that other simulators run: ASTRA-sim, LogGOPSim and SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "generate/chakra_families.h"
#include "generate/pipeline_step.h"
#include "simulate/loggops/collectives.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::job {

// Workloads that were made, as files.

/// What was written: PREFIX.0.et, PREFIX.1.et, ..., or one file.
struct GeneratedFiles {
  std::string prefix;
  std::size_t ranks = 0;
  std::size_t nodes = 0;  ///< of all ranks
};

/// FOLDER/NAME.RANK.et, each of which says how many there are, and FOLDER/NAME.groups.json if there are groups. The
/// folder is made.
Result<GeneratedFiles> write_generated(const workload::Workload& workload, const std::string& folder,
                                       const std::string& name);

/// What Chakra's generator makes, byte for byte: every family of it.
Result<std::vector<GeneratedFiles>> write_chakra_families(const generate::ChakraFamilyOptions& options,
                                                          const std::string& folder);

/// FOLDER/pipeline.json: how to make the step, instead of a file per rank.
Result<GeneratedFiles> write_recipe(const generate::PipelineStep& step, const std::string& folder);

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

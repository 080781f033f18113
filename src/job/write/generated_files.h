// Workloads that were made, as files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "generate/chakra_families.h"
#include "generate/pipeline_step.h"
#include "workload/workload.h"

namespace orrery::job {

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

}  // namespace orrery::job

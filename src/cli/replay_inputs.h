// From the operands of `orrery replay` to a Workload: a prefix, or files.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "cli/invocation.h"
#include "workload/workload.h"

namespace orrery::cli {

struct ReplayInput {
  workload::Workload workload;
  std::vector<std::size_t> rank_numbers;  ///< by rank of the workload: as the files are numbered, else their place
};

/// All ranks, or that of --rank; with the groups of --comm-group. Files are recorded as inputs.
Result<ReplayInput> load_replay(Invocation& invocation);

}  // namespace orrery::cli

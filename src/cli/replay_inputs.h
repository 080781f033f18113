// From the operands of `orrery replay` to a Workload: a prefix, or files.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
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

/// 3 for "et/step.3.et": the number in front of .et or .json, compressed or not.
std::optional<std::size_t> rank_in_name(std::string_view path);

}  // namespace orrery::cli

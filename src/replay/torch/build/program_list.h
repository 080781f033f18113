// An operation list from a program without operators: device work of the recorded duration, and communication of the
// recorded sizes.
#pragma once

#include "base/result.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/write/emit_options.h"
#include "workload/workload.h"

namespace orrery::replay::torch {

/// Activities in the order of their recorded starts, else of a replay of the program alone. What the host does is left
/// out. `groups` are the job's, the first of all ranks; those that are new are appended. Nothing depends on anything
/// but the order of streams, and communication on what came before it in the program. An Error if an edit cannot be
/// carried out.
Result<OperationList> list_of_program(const workload::Workload& workload, std::size_t place, std::int64_t rank,
                                      std::vector<std::vector<std::int64_t>>& groups, const EmitOptions& options);

}  // namespace orrery::replay::torch

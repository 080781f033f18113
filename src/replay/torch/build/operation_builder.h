// From what a rank did to its operation list.
#pragma once

#include "base/result.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/write/emit_options.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// The same for any number of threads. O(n log n) in rows and tensors. An Error if sizes are to be scaled and something
/// cannot follow, or an edit cannot be carried out.
Result<OperationList> build_operations(const RankSource& source, const trace::HostArguments& arguments,
                                       const EmitOptions& options);

}  // namespace orrery::replay::torch

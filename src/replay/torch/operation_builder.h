// From what a rank did to its operation list.
#pragma once

#include "base/result.h"
#include "replay/torch/operation_list.h"
#include "replay/torch/rank_source.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

struct EmitOptions {
  bool keeps_pace = false;          ///< the host's own times between operations
  bool compute_only = false;        ///< no communication
  bool communication_only = false;  ///< nothing but communication
};

/// The same for any number of threads. O(n log n) in rows and tensors.
OperationList build_operations(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options);

}  // namespace orrery::replay::torch

// From what a rank did to its operation list.
#pragma once

#include <optional>

#include "base/result.h"
#include "replay/torch/operation_list.h"
#include "replay/torch/rank_source.h"
#include "replay/torch/scale_request.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

struct EmitOptions {
  bool keeps_pace = false;          ///< the host's own times between operations
  bool compute_only = false;        ///< no communication
  bool communication_only = false;  ///< nothing but communication
  std::optional<ScaleRequest> scale;
};

/// The same for any number of threads. O(n log n) in rows and tensors. An Error if sizes are to be scaled and something cannot follow.
Result<OperationList> build_operations(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options);

}  // namespace orrery::replay::torch

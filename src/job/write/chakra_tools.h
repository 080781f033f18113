// The files that Chakra's own tools write: converter, jsonizer, visualizer.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/read/convert_target.h"
#include "job/read/source.h"
#include "job/read/workload_input.h"

namespace orrery::job {

/// Byte for byte. An Error (Remedy::without_compat) if Chakra has no tool that makes the one of the other. Whoever
/// calls it holds an OutputSet, so that the files of all ranks appear together.
Result<std::vector<WrittenFile>> write_like_chakra(const Source& source, const ConvertTarget& target,
                                                   const WorkloadRequest& request, Diagnostics& diagnostics);

}  // namespace orrery::job

// Which files of the command line are the two recordings of one rank.
#pragma once

#include <vector>

#include "cli/invocation.h"
#include "job/pairs.h"

namespace orrery::cli {

/// Pairs from --host and --device (or Chakra's names for them), each a file, folder or glob, and from operands, whose files are told apart by
/// their content (job/source.h) and paired by their names (job/pairs.h). Profiler traces without a host trace stay alone. Files are recorded as
/// inputs of the invocation.
Result<std::vector<job::TracePair>> find_pairs(Invocation& invocation);

}  // namespace orrery::cli

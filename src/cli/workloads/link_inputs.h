// Which files of the command line are the two recordings of one rank.
#pragma once

#include <vector>

#include "cli/frame/invocation.h"
#include "job/pairs/pairs.h"

namespace orrery::cli {

/// Pairs from --host and --device (or Chakra's names for them), and from operands (job/pairs/pair_finder.h). Files are
/// recorded as inputs of the invocation.
Result<std::vector<job::TracePair>> find_pairs(Invocation& invocation);

}  // namespace orrery::cli

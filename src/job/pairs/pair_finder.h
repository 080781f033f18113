// Which of the files that a user names are the two recordings of one rank.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/pairs/pairs.h"

namespace orrery::job {

/// Each a file, a folder or a glob pattern (inputs.h). Of a folder named for one kind the files of that kind count; a
/// file that was named alone is what it was named for.
struct NamedTraces {
  std::vector<std::string> hosts;    ///< PyTorch execution traces
  std::vector<std::string> devices;  ///< profiler traces
  std::vector<std::string> either;   ///< told apart by their content (source.h)
};

/// Paired by their names (pairs.h). Profiler traces without a host trace stay alone; none if no profiler trace was
/// named.
Result<std::vector<TracePair>> find_pairs(const NamedTraces& named, Diagnostics& diagnostics);

}  // namespace orrery::job

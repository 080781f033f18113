// The two recordings of one rank.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace orrery::job {

struct TracePair {
  std::string host;    ///< PyTorch execution trace; empty: none
  std::string device;  ///< profiler trace
};

/// `devices` with the hosts that belong to them: those called the same up to the ending (ddp4.rank0.et.json.gz and
/// ddp4.rank0.kineto.json.gz), else those with the same rank in their names; one of each belong together whatever they
/// are called. An Error names a host that belongs to none.
Result<std::vector<TracePair>> pair_traces(const std::vector<std::string>& hosts,
                                           const std::vector<std::string>& devices);

}  // namespace orrery::job

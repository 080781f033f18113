// Patterns as a workload that is made while it runs: a program per class of ranks, and a window per round.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "motif/patterns/pattern.h"
#include "workload/source.h"

namespace orrery::motif {

/// Patterns one after the other on the same nodes.
struct MotifJob {
  std::string name = "job";
  std::vector<std::uint32_t> nodes;  ///< by rank of the patterns: which rank of the workload it is
  std::vector<Pattern> patterns;     ///< each of as many ranks as there are nodes
};

/// A workload of `ranks` ranks; those that are in no job do nothing.
///
/// One job on all ranks in order has a program per class: 65,536 ranks of a stencil have 27. Their messages count from
/// the rank itself, and their groups are roles. Other jobs have a program per rank, and groups that list their members;
/// of these, too, only the windows that ranks are in are held. An Error if two jobs want the same node, or a node that
/// is not there.
Result<std::unique_ptr<workload::WorkloadSource>> pattern_source(std::vector<MotifJob> jobs, std::uint32_t ranks);

/// One pattern on all ranks in order.
Result<std::unique_ptr<workload::WorkloadSource>> pattern_source(Pattern pattern);

}  // namespace orrery::motif

// What bounds a job: the longest path over all its ranks, whose part it is, and where it goes from rank to rank.
#pragma once

#include <vector>

#include "analyze/step_path.h"
#include "link/job_graph.h"

namespace orrery::analyze {

/// Where the path leads from one rank to another: the one came last to what the other waited in.
struct Hop {
  TimePs at = 0;                   ///< since the job's begin
  std::uint32_t from = 0, to = 0;  ///< places in JobGraph::ranks
  std::uint32_t operation = 0;     ///< into JobGraph::operations
};

/// Transfers of one kind within one group, on the path.
struct TransferShare {
  StringId what = 0;
  StringId group = 0;
  TimePs on_path = 0;
};

/// The path never waits: where another rank's arrival binds, it goes there. So the ranks' shares and the transfers' are the job.
struct JobPath {
  StepPath sums;                         ///< contributors are pieces of one rank, or transfers
  std::vector<TimePs> ranks;             ///< on the path, without transfers; as JobGraph::ranks
  std::vector<TransferShare> transfers;  ///< the largest first
  std::vector<Hop> hops;                 ///< the earliest first
  [[nodiscard]] TimePs length() const { return sums.length(); }
};

/// See take_path of a step.
JobPath take_path(const link::JobGraph& job, graph::Solution solution, std::size_t top, bool with_gains);

}  // namespace orrery::analyze

// Joins the graphs of a job's ranks by their Exchanges.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "causal/join/joined_edges.h"
#include "match/exchange.h"
#include "trace/trace.h"

namespace orrery::causal {

struct JoinOptions {
  bool by_annotation =
      false;  ///< classes are named by the innermost user annotation around the launch, where there is one
};

/// `ranks` are those of the trace, in its order, each with its window and as many steps. The trace's times count as
/// those of one clock: whoever corrected them says so in the result. What does not pair, is absent or contradicts is
/// counted there and in `diagnostics`. O(nodes + edges).
Result<CausalGraph> join_ranks(const trace::Trace& trace, const match::Exchanges& exchanges,
                               std::vector<RankGraph> ranks, const JoinOptions& options, Diagnostics& diagnostics);
/// The same; of the trace nothing is left, so that what it takes is free before the graph is made.
Result<CausalGraph> join_ranks(trace::Trace&& trace, const match::Exchanges& exchanges, std::vector<RankGraph> ranks,
                               const JoinOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::causal

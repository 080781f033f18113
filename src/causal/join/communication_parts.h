// Collectives that the host does itself: which part of them communicates, and in which order they were issued.
#pragma once

#include <vector>

#include "base/column.h"
#include "causal/program/activity_chain.h"
#include "causal/rank_graph.h"
#include "graph/graph.h"
#include "trace/trace.h"

namespace orrery::causal {

// Where a rank's graph has the communications of its trace.

class CommunicationEdges {
 public:
  /// `step` was made of `rank` (or is a reduced graph of that). O(edges + communications log communications).
  CommunicationEdges(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step);

  /// The edge in which the event communicates; kNoSlot if it has none in the window. O(log communications).
  [[nodiscard]] graph::Slot find(trace::EventIndex event) const;
  /// All of them, ascending.
  [[nodiscard]] std::vector<graph::Slot> slots() const;

 private:
  struct Edge {
    trace::EventIndex event;
    graph::Slot slot;
  };

  void keep_communicating_parts(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step);

  std::vector<Edge> edges_;  // by event
};

/// By event: the activity in which it communicates; kNoActivity if it does not.
///
/// A collective of the host is cut to pieces by the copies and calls it makes. It waits for the others and moves the
/// data in the longest of them. A message leaves with the first: what comes later may be the wait for it, after the
/// thread had done other things.
Column<std::uint32_t> communicating_parts(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const ActivityChain& chain);

/// Ranks must agree on the order of their collectives, which is the order of the activities. Several threads of a rank
/// take them from one queue, and may reach the communicating part in any order; so these activities, and what depends
/// on them, are moved behind those that were issued before (record-function ids, else starts). Where a collective could
/// only start because one issued later had ended, time wins. O(n log n) if something is out of order, else O(n).
void put_in_issue_order(const trace::Trace& trace, const trace::RankTrace& rank, ActivityChain& chain);

}  // namespace orrery::causal

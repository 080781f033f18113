// Where a rank's graph has the communications of its trace.
#pragma once

#include <vector>

#include "causal/rank_graph.h"
#include "graph/graph.h"
#include "trace/trace.h"

namespace orrery::causal {

class CommunicationEdges {
 public:
  /// `step` was made of `rank` (or is a skeleton of that). O(edges + communications log communications).
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

}  // namespace orrery::causal

#include "causal/join/communication_edges.h"

#include <algorithm>

#include "match/communication.h"

namespace orrery::causal {

using graph::Slot;
using trace::EventIndex;

CommunicationEdges::CommunicationEdges(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step) {
  for (Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    if (step.kind(slot) != EdgeKind::communication || step.graph.edge_tag(slot) == graph::kNoTag) continue;
    edges_.push_back({step.owner_events[step.graph.edge_tag(slot)], slot});
  }
  const auto by_event_and_time = [&](const Edge& a, const Edge& b) {
    if (a.event != b.event) return a.event < b.event;
    return step.time[step.graph.source(a.slot)] < step.time[step.graph.source(b.slot)];
  };
  std::stable_sort(edges_.begin(), edges_.end(), by_event_and_time);
  keep_communicating_parts(trace, rank, step);
}

// What a host does is cut to pieces by the calls it makes. A collective waits and moves the data in the longest of
// them; a message leaves with the first (see communicating_parts).
void CommunicationEdges::keep_communicating_parts(const trace::Trace& trace, const trace::RankTrace& rank,
                                                  const RankGraph& step) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges_.size();) {
    std::size_t best = i, last = i + 1;
    while (last < edges_.size() && edges_[last].event == edges_[i].event) ++last;
    const auto kind = match::communication_kind(trace.name(rank, edges_[i].event));
    const bool is_message = kind && kind->kind != workload::ActivityKind::collective;
    for (std::size_t at = i + 1; at < last && !is_message; ++at) {
      if (step.graph.weight(edges_[at].slot) > step.graph.weight(edges_[best].slot)) best = at;
    }
    edges_[kept++] = edges_[best];
    i = last;
  }
  edges_.resize(kept);
}

Slot CommunicationEdges::find(EventIndex event) const {
  const auto at = std::lower_bound(edges_.begin(), edges_.end(), event,
                                   [](const Edge& edge, EventIndex e) { return edge.event < e; });
  return at != edges_.end() && at->event == event ? at->slot : graph::kNoSlot;
}

std::vector<Slot> CommunicationEdges::slots() const {
  std::vector<Slot> slots;
  for (const Edge& edge : edges_) slots.push_back(edge.slot);
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace orrery::causal

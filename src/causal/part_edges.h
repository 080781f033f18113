// Edges that are a part of something that has an edge of its own: a call until it handed its work over, a kernel until
// it made room for another or had written what a host looked for, a copy that its call takes part in. Whoever adds up
// what there is, leaves them out; on a path they count.
#pragma once

#include "causal/device/device_timeline.h"
#include "causal/edge_kind.h"
#include "graph/graph.h"

namespace orrery::causal {

/// `of`: a RankGraph or CausalGraph. What an event does itself lies on its lane; a part of it leads to another, or
/// comes from one.
template <typename AnyGraph>
bool is_part(const AnyGraph& of, graph::Slot slot) {
  const EdgeKind kind = of.kind(slot);
  const std::uint32_t tag = of.graph.edge_tag(slot);
  if (tag == graph::kNoTag || (kind != EdgeKind::cpu_runtime && !is_device(kind))) return false;
  const std::uint32_t lane = of.owners[tag].lane, from = of.node_lane[of.graph.source(slot)],
                      to = of.node_lane[of.graph.target(slot)];
  return (from != kNoWork && from != lane) || (to != kNoWork && to != lane);
}

}  // namespace orrery::causal

#include "causal/hta/edge_list.h"

#include "base/sparse_rows.h"

namespace orrery::causal::hta {

const char* to_string(EdgeType type) {
  switch (type) {
    case EdgeType::operator_: return "operator";
    case EdgeType::dependency: return "dependency";
    case EdgeType::kernel_launch_delay: return "kernel_launch_delay";
    case EdgeType::kernel_kernel_delay: return "kernel_kernel_delay";
    case EdgeType::sync_dependency: return "sync_dependency";
  }
  return "";
}

void EdgeList::add(NodeNumber from, NodeNumber to, EdgeType type, bool zero_weight) {
  const bool is_weightless = zero_weight || type == EdgeType::dependency || type == EdgeType::sync_dependency;
  added_.push_back({from, to, is_weightless ? 0 : nodes_.time[to] - nodes_.time[from], kKeepAttribution, type});
}

void EdgeList::add_attributed(NodeNumber from, NodeNumber to, EdgeType type, RowIndex parent, bool zero_weight) {
  add(from, to, type, zero_weight);
  if (type != EdgeType::operator_ && type != EdgeType::kernel_kernel_delay) return;
  const bool to_source = type == EdgeType::kernel_kernel_delay || nodes_.is_start[from] != 0;
  added_.back().attributed = to_source ? nodes_.row[from] : nodes_.is_start[to] == 0 ? nodes_.row[to] : parent;
}

Column<Edge> EdgeList::take() {
  // Group by source (a counting sort keeps the order), and within a source find repeated targets with one mark per
  // node.
  const std::size_t count = added_.size();
  const auto grouped = group_by_row<std::uint32_t>(nodes_.size(), [&](const auto& add) {
    for (std::uint32_t i = 0; i < count; ++i) add(added_[i].from, i);
  });

  Column<std::uint32_t> seen_as(nodes_.size(), ~0u);  // target -> the edge that came first
  Column<std::uint8_t> is_repeat(count, 0);
  NodeNumber source = kNoNode;
  Column<NodeNumber> touched;
  for (const std::uint32_t i : grouped.entries()) {
    const Edge& edge = added_[i];
    if (edge.from != source) {
      for (const NodeNumber node : touched) seen_as[node] = ~0u;
      touched.clear();
      source = edge.from;
    }
    std::uint32_t& known = seen_as[edge.to];
    if (known == ~0u) {
      known = i;
      touched.push_back(edge.to);
      continue;
    }
    is_repeat[i] = 1;
    Edge& kept = added_[known];
    kept.type = edge.type;
    kept.weight = edge.weight;
    if (edge.attributed != kKeepAttribution) kept.attributed = edge.attributed;
  }
  Column<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_repeat[i] != 0) continue;
    if (added_[i].attributed == kKeepAttribution) added_[i].attributed = kNoRow;
    edges.push_back(added_[i]);
  }
  return edges;
}

}  // namespace orrery::causal::hta

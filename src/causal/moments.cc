#include "causal/moments.h"

#include "base/radix_sort.h"
#include "base/sparse_rows.h"
#include "graph/builder.h"

namespace orrery::causal {

std::uint32_t Moments::add(TimePs time, std::uint32_t lane) {
  time_.push_back(time);
  lane_.push_back(lane);
  return static_cast<std::uint32_t>(time_.size() - 1);
}

std::uint32_t Moments::connect(std::uint32_t from, std::uint32_t to, EdgeKind kind, TimePs weight, std::uint32_t tag) {
  edges_.push_back({from, to, weight, tag, kind});
  return static_cast<std::uint32_t>(edges_.size() - 1);
}

void Moments::set(std::uint32_t edge, EdgeKind kind, TimePs weight) {
  edges_[edge].kind = kind;
  edges_[edge].weight = weight;
}

Result<Moments::Numbered> Moments::build() {
  Column<KeyedIndex> order;
  order.reserve(time_.size());
  for (std::uint32_t m = 0; m < time_.size(); ++m) order.push_back({radix_key(time_[m]), m});
  radix_sort(order);
  Numbered result;
  result.number.resize_uninitialized(time_.size());
  result.time.resize_uninitialized(time_.size());
  result.lane.resize_uninitialized(time_.size());
  for (std::uint32_t n = 0; n < order.size(); ++n) {
    result.number[order[n].index] = n;
    result.time[n] = time_[order[n].index];
    result.lane[n] = lane_[order[n].index];
  }
  const std::size_t count = time_.size();
  // A graph of millions of edges is made of these: each goes as soon as the next form is there.
  order = {}, time_ = {}, lane_ = {};

  // Edges of a node together, in order of addition: the rows of the graph then need no sorting of their own.
  auto grouped = group_by_row<std::uint32_t>(count, [&](const auto& add) {
    for (std::uint32_t e = 0; e < edges_.size(); ++e) add(result.number[edges_[e].to], e);
  });
  graph::GraphBuilder builder;
  builder.reserve(count, edges_.size());
  builder.add_nodes(count);
  for (const std::uint32_t e : grouped.entries()) {
    const Edge& edge = edges_[e];
    const std::uint32_t from = result.number[edge.from];
    const std::uint32_t to = result.number[edge.to];
    if (from < to) builder.add_edge(from, to, static_cast<std::uint8_t>(edge.kind), edge.weight, edge.tag);
  }
  grouped = {}, edges_ = {};
  Result<graph::Graph> graph = std::move(builder).build();
  if (!graph) return graph.error();
  result.graph = std::move(*graph);
  return result;
}

}  // namespace orrery::causal

#include "analyze/path/scaling_range.h"

#include "base/parallel.h"

namespace orrery::analyze {
namespace {

ScalingRange::Side side_of(const graph::Graph& graph, graph::NodeId end, std::uint32_t kinds, bool towards_zero) {
  graph::Slopes slopes;
  slopes.weights.resize_uninitialized(graph.edge_count());
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
    const TimePs weight = (kinds >> graph.type(slot) & 1U) != 0 ? graph.weights()[slot] : 0;
    slopes.weights[slot] = towards_zero ? -weight : weight;
  }
  const graph::ParametricPiece piece = graph::first_parametric_piece(graph, slopes, end);
  return {piece.slope, piece.end};
}

}  // namespace

ScalingRange scaling_range(const graph::Graph& graph, graph::NodeId end, std::uint32_t kinds) {
  ScalingRange range;
  parallel_for(2, [&](std::size_t i) { (i == 0 ? range.less : range.more) = side_of(graph, end, kinds, i == 0); });
  return range;
}

}  // namespace orrery::analyze

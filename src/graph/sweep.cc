#include "graph/sweep.h"

namespace orrery::graph {
namespace {

/// The whole cost of a re-solve lies here: 12 bytes per edge and up to 20 per node go by once.
template <bool kHasDurations>
void pull(const SweepView& view, Position begin, Position end, TimePs* finish) {
  const Position* const sources = view.sources;
  const TimePs* const weights = view.weights;
  Slot slot = view.rows[begin];
  for (Position p = begin; p < end; ++p) {
    const Slot row_end = view.rows[p + 1];
    TimePs best = 0;
    for (; slot < row_end; ++slot) best = std::max(best, finish[sources[slot]] + weights[slot]);
    if constexpr (kHasDurations) best += view.durations[p];
    // Capped at every node, so that sums further on cannot overflow.
    finish[p] = std::min(best, kMaxFinishPs);
  }
}

void pull_one(const SweepView& view, Position p, const TouchedNode* touched, TimePs* finish) {
  finish[p] = evaluate(view, p, touched, [finish](Position source) { return finish[source]; });
}

void pull_range(const SweepView& view, Position begin, Position end, TimePs* finish) {
  if (begin >= end) return;
  if (view.has_start_to_start) {
    // Measured steps have none, and they are what is solved again and again: the loops above need not look at types.
    for (Position p = begin; p < end; ++p) pull_one(view, p, nullptr, finish);
  } else if (view.durations != nullptr) {
    pull<true>(view, begin, end, finish);
  } else {
    pull<false>(view, begin, end, finish);
  }
}

void push_one(const SweepView& view, Position p, const TouchedNode* touched, TimePs* latest) {
  if (latest[p] == kUnlimited) return;  // it does not lead to the end: whatever it asks of others delays nothing
  const TimePs start = latest_start(latest[p], view.duration(p, touched));
  for_each_incoming(view, p, touched, [&](Slot, Position source, TimePs weight) {
    latest[source] = std::min(latest[source], start - weight);
  });
}

void push_range(const SweepView& view, Position begin, Position end, TimePs* latest) {
  for (Position p = end; p-- > begin;) push_one(view, p, nullptr, latest);
}

}  // namespace

SweepView::SweepView(const Graph& graph, const Overlay* overlay_or_null)
    : node_count(graph.node_count()),
      rows(graph.rows().data()),
      sources(graph.source_positions().data()),
      weights(graph.weights().data()),
      durations(graph.durations().data()),
      types(graph.columns().types.values().data()),
      overlay(overlay_or_null) {
  if (overlay != nullptr && overlay->weights != nullptr) weights = overlay->weights->data();
  if (overlay != nullptr && overlay->durations != nullptr) durations = overlay->durations->data();
  if (!graph.start_to_start_type()) return;
  start_to_start_type = *graph.start_to_start_type();
  // Without durations the start of a node is its end, and types make no difference.
  has_start_to_start = durations != nullptr && types != nullptr;
}

void sweep_forward(const SweepView& view, TimePs* finish) {
  if (view.overlay == nullptr) return pull_range(view, 0, view.node_count, finish);
  Position p = 0;
  for (const TouchedNode& touched : view.overlay->touched) {
    pull_range(view, p, touched.position, finish);
    if (touched.position == view.node_count) return;  // the entry after the last
    pull_one(view, touched.position, &touched, finish);
    p = touched.position + 1;
  }
}

void sweep_backward(const SweepView& view, TimePs* latest) {
  if (view.overlay == nullptr) return push_range(view, 0, view.node_count, latest);
  const Column<TouchedNode>& touched = view.overlay->touched;
  Position end = view.node_count;
  for (std::size_t i = touched.size() - 1; i-- > 0;) {  // not the entry after the last
    push_range(view, touched[i].position + 1, end, latest);
    push_one(view, touched[i].position, &touched[i], latest);
    end = touched[i].position;
  }
  push_range(view, 0, end, latest);
}

}  // namespace orrery::graph

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
    finish[p] = std::min(best, kMaxFinishPs);
  }
}

void pull_one(const SweepView& view, Position p, const TouchedNode* touched, TimePs* finish) {
  finish[p] = evaluate(view, p, touched, [finish](Position source) { return finish[source]; });
}

void push_one(const SweepView& view, Position p, const TouchedNode* touched, TimePs* latest) {
  if (latest[p] == kUnlimited) return;
  const TimePs start = latest_start(latest[p], view.duration(p, touched));
  for_each_incoming(view, p, touched,
                    [&](Slot, Position source, TimePs weight) { latest[source] = std::min(latest[source], start - weight); });
}

void pull_range(const SweepView& view, Position begin, Position end, TimePs* finish) {
  if (begin >= end) return;
  if (view.has_start_to_start) {
    for (Position p = begin; p < end; ++p) pull_one(view, p, nullptr, finish);
  } else if (view.durations != nullptr) pull<true>(view, begin, end, finish);
  else pull<false>(view, begin, end, finish);
}

void push_range(const SweepView& view, Position begin, Position end, TimePs* latest) {
  for (Position p = end; p-- > begin;) {
    if (view.has_start_to_start) {
      push_one(view, p, nullptr, latest);
      continue;
    }
    if (latest[p] == kUnlimited) continue;
    const TimePs start = latest_start(latest[p], view.durations == nullptr ? 0 : view.durations[p]);
    for (Slot slot = view.rows[p]; slot < view.rows[p + 1]; ++slot) {
      if (view.weights[slot] == kRemovedWeight) continue;
      TimePs& before = latest[view.sources[slot]];
      before = std::min(before, start - view.weights[slot]);
    }
  }
}

}  // namespace

SweepView::SweepView(const Graph& graph, const Overlay* overlay_or_null)
    : node_count(graph.node_count()),
      rows(graph.rows().data()),
      sources(graph.source_positions().data()),
      weights(graph.weights().data()),
      durations(graph.durations().data()),
      overlay(overlay_or_null),
      types(graph.columns().types.values().data()),
      start_to_start_type(graph.start_to_start_type().value_or(0)) {
  if (overlay != nullptr && overlay->weights != nullptr) weights = overlay->weights->data();
  if (overlay != nullptr && overlay->durations != nullptr) durations = overlay->durations->data();
  has_start_to_start = graph.start_to_start_type().has_value() && durations != nullptr;
}

void sweep_forward(const SweepView& view, Position begin, TimePs* finish) {
  if (view.overlay == nullptr) return pull_range(view, begin, view.node_count, finish);
  const Overlay& overlay = *view.overlay;
  const auto before = [](const TouchedNode& node, Position p) { return node.position < p; };
  const TouchedNode* touched = std::lower_bound(overlay.touched.begin(), overlay.touched.end(), begin, before);
  auto window = std::find_if(overlay.windows.begin(), overlay.windows.end(), [&](const OrderWindow& w) { return w.begin >= begin; });
  for (Position p = begin; p < view.node_count;) {
    const Position window_at = window == overlay.windows.end() ? view.node_count : window->begin;
    const Position stop = std::min(touched->position, window_at);
    pull_range(view, p, stop, finish);
    if (stop == view.node_count) return;
    p = stop;
    if (p != window_at) {
      pull_one(view, p++, touched++, finish);
      continue;
    }
    for (const Position inside : window->order) pull_one(view, inside, overlay.find(inside), finish);
    p = window->end;
    touched = std::lower_bound(touched, overlay.touched.end(), p, before);
    ++window;
  }
}

void sweep_backward(const SweepView& view, TimePs* latest) {
  if (view.overlay == nullptr) return push_range(view, 0, view.node_count, latest);
  const Overlay& overlay = *view.overlay;
  std::size_t touched = overlay.touched.size() - 1;  // the next one is overlay.touched[touched - 1]
  std::size_t window = overlay.windows.size();       // likewise
  for (Position p = view.node_count; p > 0;) {
    const Position after_touched = touched == 0 ? 0 : overlay.touched[touched - 1].position + 1;
    const Position after_window = window == 0 ? 0 : overlay.windows[window - 1].end;
    const Position stop = std::max(after_touched, after_window);
    push_range(view, stop, p, latest);
    if (stop == 0) return;
    p = stop;
    if (p != after_window) {
      push_one(view, --p, &overlay.touched[--touched], latest);
      continue;
    }
    const OrderWindow& inside = overlay.windows[--window];
    for (std::size_t i = inside.order.size(); i-- > 0;) push_one(view, inside.order[i], overlay.find(inside.order[i]), latest);
    p = inside.begin;
    while (touched > 0 && overlay.touched[touched - 1].position >= p) --touched;
  }
}

}  // namespace orrery::graph

#include "graph/overlay.h"

#include <algorithm>

namespace orrery::graph {
namespace {

/// The position whose row holds `slot`, at or after `from`: doubling steps, since the next changed edge is usually
/// near.
Position target_from(std::span<const Slot> rows, Position from, Slot slot) {
  std::size_t low = from;
  std::size_t step = 1;
  while (low + step < rows.size() && rows[low + step] <= slot) {
    low += step;
    step *= 2;
  }
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(low);
  const auto last = rows.begin() + static_cast<std::ptrdiff_t>(std::min(low + step, rows.size()));
  return static_cast<Position>(std::upper_bound(first, last, slot) - rows.begin() - 1);
}

/// Every duration with the changes laid over.
std::shared_ptr<const Column<TimePs>> all_durations(const Graph& graph, const TimePatch::Folded& changed) {
  auto all = std::make_shared<Column<TimePs>>();
  all->reserve(graph.node_count());
  if (graph.durations().empty()) all->assign(graph.node_count(), 0);
  else all->append(graph.durations());
  for (std::size_t i = 0; i < changed.indices.size(); ++i) (*all)[changed.indices[i]] = changed.values[i];
  return all;
}

/// Merges changed weights and changed durations, each by position, into one list of touched nodes.
void merge_touched(const Graph& graph, const TimePatch::Folded& durations, Overlay& overlay) {
  const Position none = graph.node_count();
  const std::span<const TimePs> base =
      overlay.durations != nullptr ? std::span<const TimePs>(*overlay.durations) : graph.durations();
  std::uint32_t patch = 0;
  std::size_t duration = 0;
  Position row = 0;
  for (;;) {
    if (patch < overlay.patches.size()) row = target_from(graph.rows(), row, overlay.patches[patch].slot);
    const Position by_patch = patch < overlay.patches.size() ? row : none;
    const Position by_duration = duration < durations.indices.size() ? durations.indices[duration] : none;
    const Position p = std::min(by_patch, by_duration);
    TouchedNode node{p, patch, 0};
    if (p == none) {  // a node has its patches up to the next one's: the last needs one after it
      overlay.touched.push_back(node);
      return;
    }
    if (by_duration == p) node.duration = durations.values[duration++];
    else if (!base.empty()) node.duration = base[p];
    const Slot row_end = graph.rows()[p + 1];
    while (patch < overlay.patches.size() && overlay.patches[patch].slot < row_end) ++patch;
    overlay.touched.push_back(node);
  }
}

}  // namespace

std::shared_ptr<const Overlay> Overlay::compile(const Edits& edits) {
  const Graph& graph = edits.graph();
  auto overlay = std::make_shared<Overlay>();
  const TimePatch::Folded weights = edits.weights().fold();
  const TimePatch::Folded durations = edits.durations().fold();
  overlay->weights = weights.dense;
  overlay->durations = durations.dense;
  if (graph.start_to_start_type() && !durations.indices.empty()) overlay->durations = all_durations(graph, durations);
  overlay->patches.resize_uninitialized(weights.indices.size());
  for (std::size_t i = 0; i < weights.indices.size(); ++i)
    overlay->patches[i] = {weights.indices[i], weights.values[i]};
  merge_touched(graph, durations, *overlay);
  return overlay;
}

const TouchedNode* Overlay::find(Position position) const {
  const auto before = [](const TouchedNode& node, Position p) { return node.position < p; };
  const auto at = std::lower_bound(touched.begin(), touched.end(), position, before);
  return at->position == position ? at : nullptr;
}

std::span<const PatchedWeight> Overlay::patches_of(const TouchedNode& node) const {
  return {patches.data() + node.first_patch, (&node)[1].first_patch - node.first_patch};
}

}  // namespace orrery::graph

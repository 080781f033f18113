#include "graph/incremental.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "graph/overlay.h"
#include "graph/sweep.h"

namespace orrery::graph {
namespace {

/// Evaluating one node by itself costs about as much as this many in a sweep.
constexpr NodeId kSweepAdvantage = 8;
/// Below this many it does not matter.
constexpr NodeId kFewNodes = 64;

bool same_row(const Overlay& a, const TouchedNode& in_a, const Overlay& b, const TouchedNode& in_b) {
  const auto same_patch = [](const PatchedWeight& x, const PatchedWeight& y) { return x.slot == y.slot && x.weight == y.weight; };
  const auto same_edge = [](const PlacedEdge& x, const PlacedEdge& y) { return x.source == y.source && x.weight == y.weight; };
  const auto patches_a = a.patches_of(in_a), patches_b = b.patches_of(in_b);
  const auto added_a = a.added_to(in_a), added_b = b.added_to(in_b);
  return in_a.duration == in_b.duration && std::equal(patches_a.begin(), patches_a.end(), patches_b.begin(), patches_b.end(), same_patch) &&
         std::equal(added_a.begin(), added_a.end(), added_b.begin(), added_b.end(), same_edge);
}

bool in_place(const Overlay* overlay) { return overlay == nullptr || (!overlay->dense() && overlay->windows.empty()); }

Position first_touched(const Overlay* overlay, Position none) { return overlay == nullptr ? none : overlay->first_touched; }

}  // namespace

IncrementalSolver::IncrementalSolver(Graph graph, NodeId end)
    : graph_(std::move(graph)),
      named_end_(end),
      finish_(std::make_shared<Column<TimePs>>(graph_.node_count())),
      maxima_(graph_.node_count()),
      dirty_(graph_.node_count()) {
  assert(end == kNoNode || end < graph_.node_count());
  sweep(SweepView(graph_), 0);
  publish();
}

const Solution& IncrementalSolver::solve(const Edits& edits) {
  assert(edits.graph().same_as(graph_));
  solution_.reset();
  if (finish_.use_count() > 1) {
    auto copy = std::make_shared<Column<TimePs>>();
    copy->append(*finish_);
    finish_ = std::move(copy);
  }
  const auto before = std::exchange(overlay_, edits.empty() ? nullptr : Overlay::compile(edits));
  const SweepView view(graph_, overlay_.get());
  work_ = {};
  if (in_place(before.get()) && in_place(overlay_.get())) {
    mark_differences(before.get(), overlay_.get());
    propagate(view);
  } else {
    sweep(view, std::min(first_touched(before.get(), graph_.node_count()), first_touched(overlay_.get(), graph_.node_count())));
  }
  publish();
  return *solution_;
}

/// Merges the touched nodes of both, which are sorted; a node that both touch in the same way is left alone.
void IncrementalSolver::mark_differences(const Overlay* before, const Overlay* after) {
  const TouchedNode none{graph_.node_count(), 0, 0, 0};
  const TouchedNode* old_node = before == nullptr ? &none : before->touched.data();
  const TouchedNode* new_node = after == nullptr ? &none : after->touched.data();
  dirty_count_ = 0;
  for (;;) {
    const Position p = std::min(old_node->position, new_node->position);
    if (p == graph_.node_count()) return;
    const bool in_both = old_node->position == new_node->position;
    if (!in_both || !same_row(*before, *old_node, *after, *new_node)) {
      dirty_.insert(p);
      ++dirty_count_;
    }
    const bool old_here = old_node->position == p;
    if (new_node->position == p) ++new_node;
    if (old_here) ++old_node;
  }
}

void IncrementalSolver::propagate(const SweepView& view) {
  TimePs* const finish = finish_->data();
  const Overlay* const overlay = overlay_.get();
  std::vector<std::pair<Position, Position>> added;  // source, target
  if (overlay != nullptr) {
    for (const PlacedEdge& edge : overlay->added) added.emplace_back(edge.source, edge.target);
  }
  std::sort(added.begin(), added.end());
  auto next_added = added.begin();
  const TouchedNode* touched = overlay == nullptr ? nullptr : overlay->touched.data();

  constexpr std::size_t kNoBlock = ~std::size_t{0};
  std::size_t stale = kNoBlock;  // the block that the last changes were in; all before it are up to date
  const Position first = dirty_.next(0);
  const NodeId budget = (graph_.node_count() - first) / kSweepAdvantage + kFewNodes;
  for (Position p = first; p < graph_.node_count(); p = dirty_.next(p + 1)) {
    if (dirty_count_ > budget || work_.evaluated == budget) {
      dirty_.clear();
      if (stale != kNoBlock) maxima_.scan(stale, finish);
      return sweep(view, p);
    }
    dirty_.erase(p);
    ++work_.evaluated;
    while (touched != nullptr && touched->position < p) ++touched;
    const TouchedNode* const here = touched != nullptr && touched->position == p ? touched : nullptr;
    const TimePs value = evaluate(view, p, here, [finish](Position source) { return finish[source]; });
    if (value == finish[p]) continue;
    finish[p] = value;
    if (const std::size_t block = p / BlockMaxima<1>::kBlock; block != stale) {
      if (stale != kNoBlock) maxima_.scan(stale, finish);
      stale = block;
    }
    for (const OutgoingEdge& edge : graph_.outgoing_at(p)) dirty_.insert(edge.target_position);
    while (next_added != added.end() && next_added->first < p) ++next_added;
    for (; next_added != added.end() && next_added->first == p; ++next_added) dirty_.insert(next_added->second);
  }
  if (stale != kNoBlock) maxima_.scan(stale, finish);
}

void IncrementalSolver::sweep(const SweepView& view, Position begin) {
  sweep_forward(view, begin, finish_->data());
  maxima_.scan_from(begin, finish_->data());
  work_.swept = graph_.node_count() - begin;
}

void IncrementalSolver::publish() {
  const NodeId end = named_end_ != kNoNode ? named_end_ : maxima_.end(graph_, finish_->data());
  solution_.emplace(SolutionParts{graph_, overlay_, finish_, 1, 0, end, named_end_ != kNoNode});
}

}  // namespace orrery::graph

// Applying what-if edits to the edges they select.
#include <algorithm>
#include <cmath>

#include "analyze/edit_language.h"

namespace orrery::analyze {
namespace {

using link::EdgeKind;

/// Decides edge by edge; names are matched once per text, annotations once per lane.
class Selector {
 public:
  Selector(const link::StepGraph& step, const EditRule& rule) : step_(step), rule_(rule) {
    if (!rule.name.matches_everything()) mark(rule.name, name_matches_);
    if (!rule.inside) return;
    Column<std::uint8_t> annotation_matches;
    mark(*rule.inside, annotation_matches);
    for (const link::AnnotatedRange& range : step.annotations) {
      if (annotation_matches[range.name] != 0) ranges_.push_back(range);
    }
    add_handed_over();
  }

  [[nodiscard]] bool selects(graph::Slot slot) const {
    if ((rule_.kinds >> static_cast<unsigned>(step_.kind(slot)) & 1) == 0) return false;
    const std::uint32_t tag = step_.graph.edge_tag(slot);
    // Time that belongs to no event has no name, stream or place: it is selected by its kind alone.
    if (tag == graph::kNoTag) return name_matches_.empty() && !rule_.stream && !rule_.device && !rule_.inside;
    const link::Owner& owner = step_.owners[tag];
    if (!name_matches_.empty() && name_matches_[owner.name] == 0) return false;
    if (rule_.stream && owner.stream != *rule_.stream) return false;
    if (rule_.device && owner.device != *rule_.device) return false;
    if (!rule_.inside) return true;
    // Device work belongs to the annotation in which it was launched.
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const link::AnnotatedRange& range) {
      return range.lane == owner.launch_lane && range.begin <= owner.launch_start && owner.launch_start < range.end;
    });
  }

 private:
  // What another thread was given to do inside a range belongs to it: the backward pass on the autograd thread.
  void add_handed_over() {
    const std::vector<link::AnnotatedRange> own = ranges_;
    for (graph::Slot slot = 0; slot < step_.graph.edge_count(); ++slot) {
      if (step_.kind(slot) != EdgeKind::handoff) continue;
      const graph::NodeId from = step_.graph.source(slot);
      const graph::NodeId to = step_.graph.target(slot);
      for (const link::AnnotatedRange& range : own) {
        // What was handed over before the window hangs on its beginning, which is on no lane.
        const bool gives = range.lane == step_.node_lane[from] || from == step_.begin;
        if (gives && range.lane != step_.node_lane[to] && range.begin <= step_.time[from] && step_.time[from] < range.end) {
          ranges_.push_back({range.name, step_.node_lane[to], step_.time[to], range.end});
        }
      }
    }
  }

  void mark(const NamePattern& pattern, Column<std::uint8_t>& out) const {
    out.resize_uninitialized(step_.strings.size());
    for (StringId id = 0; id < out.size(); ++id) out[id] = pattern.matches(step_.strings.text(id));
  }

  const link::StepGraph& step_;
  const EditRule& rule_;
  Column<std::uint8_t> name_matches_;  // empty: every name
  std::vector<link::AnnotatedRange> ranges_;
};

TimePs scaled(TimePs weight, double factor) {
  const double product = static_cast<double>(weight) * factor;
  constexpr auto kLimit = static_cast<double>(graph::kMaxWeightPs);
  return product >= kLimit ? graph::kMaxWeightPs : product <= -kLimit ? -graph::kMaxWeightPs : std::llround(product);
}

}  // namespace

std::vector<std::uint64_t> apply(const link::StepGraph& step, const std::vector<EditRule>& rules, graph::Edits& edits,
                                 std::optional<double> factor) {
  std::vector<std::uint64_t> counts;
  Column<TimePs> weights(step.graph.edge_count());
  std::copy(step.graph.weights().begin(), step.graph.weights().end(), weights.begin());
  for (const EditRule& rule : rules) {
    const Selector selector(step, rule);
    std::uint64_t count = 0;
    for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      if (!selector.selects(slot)) continue;
      ++count;
      TimePs weight = weights[slot];
      switch (rule.action) {
        case EditRule::Action::scale: weight = scaled(weight, factor.value_or(rule.factor)); break;
        case EditRule::Action::set: weight = rule.amount; break;
        // Taking more away than there is leaves nothing, not time that runs backwards.
        case EditRule::Action::add: weight = std::clamp<TimePs>(weight + rule.amount, 0, graph::kMaxWeightPs); break;
      }
      if (weight == weights[slot]) continue;  // counted as selected, but no reason to solve anything again
      weights[slot] = weight;
      edits.set_weight(slot, weight);
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace orrery::analyze

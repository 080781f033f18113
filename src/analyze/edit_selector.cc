#include "analyze/edit_selector.h"

#include <algorithm>

namespace orrery::analyze {

using link::EdgeKind;

EditedGraph::EditedGraph(const link::StepGraph& step)
    : graph(step.graph),
      owners(step.owners),
      time(step.time),
      node_lane(step.node_lane),
      node_rank(nullptr),
      strings(step.strings),
      ranks({Rank{step.annotations, step.begin}}) {}

EditedGraph::EditedGraph(const link::JobGraph& job)
    : graph(job.graph), owners(job.owners), time(job.time), node_lane(job.node_lane), node_rank(&job.node_rank), strings(job.strings) {
  for (const link::JobRank& rank : job.ranks) ranks.push_back({rank.annotations, rank.begin});
}

Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern) {
  Column<std::uint8_t> matches(strings.size());
  for (StringId id = 0; id < matches.size(); ++id) matches[id] = pattern.matches(strings.text(id));
  return matches;
}

EditSelector::EditSelector(const EditedGraph& graph, const EditRule& rule) : graph_(graph), rule_(rule), ranges_(graph.ranks.size()) {
  if (!rule.name.matches_everything()) name_matches_ = matching(graph.strings, rule.name);
  if (!rule.inside) return;
  const Column<std::uint8_t> annotation_matches = matching(graph.strings, *rule.inside);
  for (std::size_t rank = 0; rank < ranges_.size(); ++rank) {
    for (const link::AnnotatedRange& range : graph.ranks[rank].annotations) {
      if (annotation_matches[range.name] != 0) ranges_[rank].push_back(range);
    }
  }
  add_handed_over(graph, ranges_);
}

bool EditSelector::selects(graph::Slot slot, std::uint32_t rank) const {
  if (!rule_.selects(graph_.kind(slot))) return false;
  const std::uint32_t tag = graph_.graph.edge_tag(slot);
  // Time that belongs to no event has no name, stream or place: it is selected by its kind alone, or as what has no name.
  if (tag == graph::kNoTag)
    return (name_matches_.empty() || rule_.name.is_of_nameless()) && !rule_.stream && !rule_.device && !rule_.inside;
  const link::Owner& owner = graph_.owners[tag];
  if (!name_matches_.empty() && name_matches_[owner.name] == 0) return false;
  if (rule_.stream && owner.stream != *rule_.stream) return false;
  if (rule_.device && owner.device != *rule_.device) return false;
  if (!rule_.inside) return true;
  // Device work belongs to the annotation in which it was launched.
  return std::any_of(ranges_[rank].begin(), ranges_[rank].end(), [&](const link::AnnotatedRange& range) {
    return range.lane == owner.launch_lane && range.begin <= owner.launch_start && owner.launch_start < range.end;
  });
}

void add_handed_over(const EditedGraph& graph, std::vector<std::vector<link::AnnotatedRange>>& ranges_of_ranks) {
  const std::vector<std::vector<link::AnnotatedRange>> own = ranges_of_ranks;
  for (graph::Position p = 0; p < graph.graph.node_count(); ++p) {
    const graph::NodeId to = graph.graph.node_at(p);
    const std::uint32_t rank = graph.rank_of(to);
    if (rank == link::kNoRank) continue;
    for (const graph::Slot slot : graph.graph.incoming_at(p)) {
      if (graph.kind(slot) != EdgeKind::handoff) continue;
      const graph::NodeId from = graph.graph.source(slot);
      for (const link::AnnotatedRange& range : own[rank]) {
        // What was handed over before the window hangs on its beginning, which is on no lane.
        const bool gives = range.lane == graph.node_lane[from] || from == graph.ranks[rank].begin;
        if (gives && range.lane != graph.node_lane[to] && range.begin <= graph.time[from] && graph.time[from] < range.end)
          ranges_of_ranks[rank].push_back({range.name, graph.node_lane[to], graph.time[to], range.end});
      }
    }
  }
}

}  // namespace orrery::analyze

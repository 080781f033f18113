#include "analyze/whatif/edit_selector.h"

#include <algorithm>

namespace orrery::analyze {

using causal::EdgeKind;

Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern) {
  Column<std::uint8_t> matches(strings.size());
  for (StringId id = 0; id < matches.size(); ++id) matches[id] = pattern.matches(strings.text(id));
  return matches;
}

EditSelector::EditSelector(const causal::CausalGraph& job, const EditRule& rule)
    : job_(job), rule_(rule), ranges_(job.ranks.size()) {
  if (!rule.name.matches_everything()) name_matches_ = matching(job.strings, rule.name);
  if (!rule.inside) return;
  const Column<std::uint8_t> annotation_matches = matching(job.strings, *rule.inside);
  for (std::size_t rank = 0; rank < ranges_.size(); ++rank) {
    for (const causal::AnnotatedRange& range : job.ranks[rank].annotations) {
      if (annotation_matches[range.name] != 0) ranges_[rank].push_back(range);
    }
  }
  add_handed_over(job, ranges_);
}

bool EditSelector::selects(graph::Slot slot, std::uint32_t rank) const {
  if (!rule_.selects(job_.kind(slot))) return false;
  const std::uint32_t tag = job_.graph.edge_tag(slot);
  // Time that belongs to no event has no name, stream or place: it is selected by its kind alone, or as what has no
  // name.
  if (tag == graph::kNoTag)
    return (name_matches_.empty() || rule_.name.is_of_nameless()) && !rule_.stream && !rule_.device && !rule_.inside;
  const causal::Owner& owner = job_.owners[tag];
  if (!name_matches_.empty() && name_matches_[owner.name] == 0) return false;
  if (rule_.stream && owner.stream != *rule_.stream) return false;
  if (rule_.device && owner.device != *rule_.device) return false;
  if (!rule_.inside) return true;
  // Device work belongs to the annotation in which it was launched.
  return std::any_of(ranges_[rank].begin(), ranges_[rank].end(), [&](const causal::AnnotatedRange& range) {
    return range.lane == owner.launch_lane && range.begin <= owner.launch_start && owner.launch_start < range.end;
  });
}

void add_handed_over(const causal::CausalGraph& job,
                     std::vector<std::vector<causal::AnnotatedRange>>& ranges_of_ranks) {
  const std::vector<std::vector<causal::AnnotatedRange>> own = ranges_of_ranks;
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const graph::NodeId to = job.graph.node_at(p);
    const std::uint32_t rank = job.node_rank[to];
    if (rank == causal::kNoRank) continue;
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      if (job.kind(slot) != EdgeKind::handoff) continue;
      const graph::NodeId from = job.graph.source(slot);
      for (const causal::AnnotatedRange& range : own[rank]) {
        // What was handed over before the window hangs on its beginning, which is on no lane.
        const bool gives = range.lane == job.node_lane[from] || from == job.ranks[rank].begin;
        if (gives && range.lane != job.node_lane[to] && range.begin <= job.time[from] && job.time[from] < range.end)
          ranges_of_ranks[rank].push_back({range.name, job.node_lane[to], job.time[to], range.end});
      }
    }
  }
}

}  // namespace orrery::analyze

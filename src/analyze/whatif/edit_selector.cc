#include "analyze/whatif/edit_selector.h"

#include <algorithm>

namespace orrery::analyze {
namespace {

using causal::EdgeKind;

/// Of one rank.
class StepBegins {
 public:
  StepBegins(const causal::CausalGraph& job, const causal::JobRank& rank) : job_(job), found_(rank.step_begin.size()) {
    // A step whose range began before the rank's window begins with it.
    for (const TimePs begin : rank.step_begin) begins_.push_back(std::max(begin, rank.begins_at));
  }

  void offer(graph::Slot slot, graph::NodeId target) {
    const TimePs from = job_.time[job_.graph.source(slot)], to = job_.time[target];
    const bool is_host = causal::is_host(job_.kind(slot));
    const auto first = std::lower_bound(begins_.begin(), begins_.end(), from);
    for (auto begin = first; begin != begins_.end() && *begin <= to; ++begin) {
      const bool runs = *begin < to;
      // Where dependencies are given, a pause leads to the moment at which the step begins, and may take no time.
      const bool leads_there = *begin == to && job_.kind(slot) == EdgeKind::idle_thread;
      const int suits = runs && is_host ? 3 : is_host && from < to ? 2 : runs || leads_there ? 1 : 0;
      Found& found = found_[static_cast<std::size_t>(begin - begins_.begin())];
      if (suits > found.suits) found = {slot, suits};
    }
  }

  [[nodiscard]] std::vector<graph::Slot> slots() const {
    std::vector<graph::Slot> slots;
    for (const Found& found : found_) slots.push_back(found.slot);
    return slots;
  }

 private:
  struct Found {
    graph::Slot slot = graph::kNoSlot;
    int suits = 0;  // 3: work of the host at that moment, 2: work of the host that ends then, 1: anything else at that
                    // moment, or a pause up to it
  };

  const causal::CausalGraph& job_;
  std::vector<TimePs> begins_;
  std::vector<Found> found_;
};

// A call that is under way hands its work over in time: who stands still then, does so after it.
graph::Slot after_launch(const causal::CausalGraph& job, const causal::JobRank& rank, graph::Slot slot) {
  if (slot == graph::kNoSlot || !causal::is_host(job.kind(slot))) return slot;
  bool launches = false;
  graph::Slot next = slot;
  for (const graph::OutgoingEdge& edge : job.graph.outgoing(job.graph.target(slot))) {
    launches |= job.kind(edge.slot) == EdgeKind::launch_delay;
    if (job.node_lane[job.graph.target(edge.slot)] == rank.main_lane && causal::is_host(job.kind(edge.slot)))
      next = edge.slot;
  }
  return launches ? next : slot;
}

}  // namespace

std::vector<std::vector<graph::Slot>> pieces_at_step_begins(const causal::CausalGraph& job) {
  std::vector<StepBegins> begins;
  for (const causal::JobRank& rank : job.ranks) begins.emplace_back(job, rank);
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const graph::NodeId target = job.graph.node_at(p);
    const std::uint32_t rank = job.node_rank[target];
    if (rank == causal::kNoRank) continue;
    const causal::JobRank& of = job.ranks[rank];
    if (of.main_lane == causal::kNoWork || job.node_lane[target] != of.main_lane) continue;
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      const graph::NodeId source = job.graph.source(slot);
      const bool same_thread = job.node_lane[source] == of.main_lane || source == of.begin || job.is_ready(source);
      const EdgeKind kind = job.kind(slot);
      if (same_thread && (causal::is_host(kind) || kind == EdgeKind::communication || kind == EdgeKind::idle_thread))
        begins[rank].offer(slot, target);
    }
  }
  std::vector<std::vector<graph::Slot>> slots;
  slots.reserve(begins.size());
  for (std::size_t rank = 0; rank < begins.size(); ++rank) {
    slots.push_back(begins[rank].slots());
    for (graph::Slot& slot : slots.back()) slot = after_launch(job, job.ranks[rank], slot);
  }
  return slots;
}

using causal::EdgeKind;

Column<std::uint8_t> matching(const Interner& strings, const NamePattern& pattern) {
  Column<std::uint8_t> matches(strings.size());
  for (StringId id = 0; id < matches.size(); ++id) matches[id] = pattern.matches(strings.text(id));
  return matches;
}

EditSelector::EditSelector(const causal::CausalGraph& job, const EditRule& rule, std::span<const OwnerPrice> prices)
    : job_(job), rule_(rule), prices_(prices), ranges_(job.ranks.size()) {
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
    return (name_matches_.empty() || rule_.name.is_of_nameless()) && !rule_.stream && !rule_.device && !rule_.inside &&
           !rule_.operator_kind;
  const causal::Owner& owner = job_.owners[tag];
  // Device work goes by its kernel's name, and by its operator's where that is what answers call it.
  const bool is_called_so = name_matches_.empty() || name_matches_[owner.name] != 0 ||
                            (owner.device >= 0 && name_matches_[job_.class_name[tag]] != 0);
  if (!is_called_so) return false;
  if (rule_.stream && owner.stream != *rule_.stream) return false;
  if (rule_.device && owner.device != *rule_.device) return false;
  if (rule_.operator_kind && (prices_.empty() || prices_[tag].kind != rule_.operator_kind)) return false;
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

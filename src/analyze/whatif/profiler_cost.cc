#include "analyze/whatif/profiler_cost.h"

#include <algorithm>
#include <tuple>

#include "graph/edits.h"
#include "graph/longest_path.h"

namespace orrery::analyze {
namespace {

using causal::EdgeKind;
using graph::Slot;

/// Time of a host thread in which a recorder may have been called: not waits, and not the calls of a device's runtime,
/// which take their own time.
bool may_hold_recorder(EdgeKind kind) {
  return kind == EdgeKind::cpu_operator || kind == EdgeKind::cpu_python || kind == EdgeKind::cpu_untraced ||
         kind == EdgeKind::data_loading;
}

struct Placed {
  std::uint32_t lane;
  TimePs begin, end;
  Slot slot;
};

graph::Edits without(const graph::Graph& graph, const RecordedEvents& events, TimePs per_event) {
  graph::Edits edits(graph);
  for (const RecordedEvents::Saving& saving : events.savings(graph, per_event))
    edits.set_weight(saving.slot, graph.weight(saving.slot) - saving.time);
  return edits;
}

/// The graph with the weights that are laid over it, and what its nodes finish at.
std::pair<graph::Graph, Column<TimePs>> solved_graph(const graph::Graph& graph, const RecordedEvents& events,
                                                     TimePs per_event, graph::NodeId end) {
  const graph::Edits edits = without(graph, events, per_event);
  const graph::Solution solution = graph::solve(edits, end);
  Column<TimePs> time(graph.node_count());
  for (graph::NodeId node = 0; node < graph.node_count(); ++node) time[node] = solution.finish(node);
  return {graph::with_edits(edits), std::move(time)};
}

}  // namespace

RecordedEvents::RecordedEvents(const causal::CausalGraph& job) {
  std::vector<std::uint32_t> first_lane{0};
  for (const causal::JobRank& rank : job.ranks)
    first_lane.push_back(first_lane.back() + static_cast<std::uint32_t>(rank.lanes.size()));
  std::vector<Placed> placed;
  for (graph::Position position = 0; position < job.graph.node_count(); ++position) {
    const graph::NodeId target = job.graph.node_at(position);
    const std::uint32_t rank = job.node_rank[target];
    const std::uint32_t lane = rank == causal::kNoRank || job.node_lane[target] == causal::kNoWork
                                   ? causal::kNoWork
                                   : first_lane[rank] + job.node_lane[target];
    for (const Slot slot : job.graph.incoming_at(position)) {
      if (may_hold_recorder(job.kind(slot)) && job.graph.weight(slot) > 0)
        placed.push_back({lane, job.time[job.graph.source(slot)], job.time[target], slot});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tuple(a.lane, a.begin, a.end) < std::tuple(b.lane, b.begin, b.end);
  });
  std::vector<std::uint8_t> was_seen(job.owners.size(), 0);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const std::uint32_t tag = job.graph.edge_tag(placed[i].slot);
    const bool is_new = tag != graph::kNoTag && was_seen[tag] == 0;
    if (is_new) was_seen[tag] = 1, ++count_;
    const bool follows = i > 0 && placed[i - 1].lane == placed[i].lane && placed[i - 1].end == placed[i].begin;
    stretches_.push_back({placed[i].slot, is_new ? 1u : 0u, follows});
  }
}

std::vector<RecordedEvents::Saving> RecordedEvents::savings(const graph::Graph& graph, TimePs per_event) const {
  std::vector<Saving> all;
  TimePs owed = 0;
  for (const Stretch& stretch : stretches_) {
    if (!stretch.follows) owed = 0;
    owed += per_event * stretch.events;
    const TimePs taken = std::min(owed, graph.weight(stretch.slot));
    if (taken > 0) all.push_back({stretch.slot, taken});
    owed -= taken;
  }
  return all;
}

ProfilerCost find_profiler_cost(const graph::Graph& graph, graph::NodeId end, const RecordedEvents& events,
                                TimePs unprofiled) {
  const auto length_at = [&](TimePs per_event) {
    return graph::solve(without(graph, events, per_event), end).length();
  };
  if (length_at(0) <= unprofiled) return {0, length_at(0), length_at(0) == unprofiled};
  if (length_at(kMostPerEvent) > unprofiled) return {kMostPerEvent, length_at(kMostPerEvent), false};
  TimePs low = 0,
         high = kMostPerEvent;  // the length falls with the cost: longer than wanted at `low`, not longer at `high`
  while (high - low > kPsPerUs / 1000) {
    const TimePs middle = low + (high - low) / 2;
    (length_at(middle) > unprofiled ? low : high) = middle;
  }
  return {high, length_at(high), true};
}

causal::CausalGraph without_profiler(causal::CausalGraph job, TimePs per_event) {
  auto [graph, time] = solved_graph(job.graph, RecordedEvents(job), per_event, job.end);
  job.graph = std::move(graph);
  job.time = std::move(time);
  job.span = job.time[job.end];
  for (causal::JobRank& rank : job.ranks) rank.ends_at = job.time[rank.end];
  return job;
}

}  // namespace orrery::analyze

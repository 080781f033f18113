// The edges of a job's graph, told one after the other: the arrivals that join the ranks, and the edges of each.
//
// They are told several times and kept only as the Graph (graph/assemble.h). Linear in what the ranks bring along, but
// where not everybody waits for everybody and what was seen says for whom (causal/join/needs.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sparse_rows.h"
#include "causal/causal_graph.h"
#include "causal/join/arrival_chains.h"
#include "causal/join/needs.h"
#include "causal/rank_graph.h"
#include "graph/graph.h"
#include "trace/trace.h"

namespace orrery::causal {

/// Which edge of a rank a participation is, by its place in CausalGraph::parts.
struct JoinedPart {
  std::uint32_t rank;
  graph::Slot slot;       ///< of its graph: the edge at whose end the participation ends
  bool was_begun_before;  ///< by another call than the one of that edge
};

/// What is known once it was found who exchanged what.
struct JoinedParts {
  std::vector<JoinedPart> parts;
  std::vector<SparseRows<std::uint32_t>> of_slot;  ///< by rank: the parts of each edge
  std::vector<PartMoments> moments;                ///< by part
  Needs needs;
};

class JoinedEdges {
 public:
  /// Numbers the nodes that join the ranks, and adds their moments to `job`, which has those of the ranks. Arrivals
  /// later than the end of what would need them are counted and left out; with `cut_at_end` also those at that very
  /// moment. All that is given must stay.
  JoinedEdges(CausalGraph& job, std::span<const RankGraph> ranks, const JoinedParts& joined, bool cut_at_end);

  /// Calls add(from, to, type, weight, tag).
  template <typename Add>
  void for_each(Add&& add) const {
    for_each_arrival(add);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      add(job_.begin, job_.ranks[r].begin, static_cast<std::uint8_t>(EdgeKind::before), job_.ranks[r].begins_at,
          graph::kNoTag);
      for_each_edge_of(r, add);
      add(job_.ranks[r].end, job_.end, static_cast<std::uint8_t>(EdgeKind::order), TimePs{0}, graph::kNoTag);
    }
  }

 private:
  void set_moments();
  [[nodiscard]] graph::NodeId chain_hub(std::uint32_t hub) const {
    return job_.first_hub + static_cast<graph::NodeId>(job_.operations.size()) + hub;
  }
  /// Calls visit(node, moment) for the arrivals, those of others or that of the last at a hub, which part p waits for;
  /// how many came too late for that.
  template <typename Visit>
  std::size_t for_each_awaited(std::uint32_t p, Visit&& visit) const;
  template <typename Add>
  void for_each_arrival(Add& add) const;
  template <typename Add>
  void for_each_edge_of(std::uint32_t r, Add& add) const;
  [[nodiscard]] TimePs last_released(std::span<const std::uint32_t> parts, TimePs entered) const;

  CausalGraph& job_;
  std::span<const RankGraph> ranks_;
  const JoinedParts& joined_;
  bool cut_at_end_;
  std::vector<TimePs> hub_time_;        // by operation: the last arrival
  std::vector<std::uint8_t> hub_used_;  // by operation
  ArrivalChains chains_;                // their hubs are the nodes behind those of the operations
};

template <typename Visit>
std::size_t JoinedEdges::for_each_awaited(std::uint32_t p, Visit&& visit) const {
  const std::uint32_t o = job_.parts[p].operation;
  const TimePs end = joined_.moments[p].end;
  const auto is_cut = [&](TimePs time) { return cut_at_end_ ? time >= end : time > end; };
  std::size_t cut = 0;
  const auto wait_for = [&](std::uint32_t other) {
    const TimePs served = joined_.moments[other].served();
    if (is_cut(served)) ++cut;
    else visit(job_.parts[other].progress, served);
  };
  if (joined_.needs.everybody[p] == 0) {
    for (const std::uint32_t other : joined_.needs.others[p]) wait_for(other);
  } else if (!is_cut(hub_time_[o])) {
    visit(job_.first_hub + o, hub_time_[o]);
  } else if (const std::uint32_t h = chains_.find(p); h != ArrivalChains::kNoHub) {
    const ArrivalHub& hub = chains_.hubs[h];
    visit(chain_hub(h), joined_.moments[chains_.arrivals[hub.end - 1]].served());
    const bool is_missing_itself = is_cut(joined_.moments[p].served());
    cut = job_.operations[o].count - hub.arrived - (is_missing_itself ? 1 : 0);
  } else {
    const JobOperation& operation = job_.operations[o];
    for (std::uint32_t other = operation.first; other < operation.first + operation.count; ++other) {
      if (other != p) wait_for(other);
    }
  }
  return cut;
}

template <typename Add>
void JoinedEdges::for_each_arrival(Add& add) const {
  const auto arrival = [&](graph::NodeId from, graph::NodeId to) {
    add(from, to, static_cast<std::uint8_t>(EdgeKind::arrival), TimePs{0}, graph::kNoTag);
  };
  for (std::uint32_t p = 0; p < job_.parts.size(); ++p) {
    arrival(job_.parts[p].arrival, job_.ready(p));
    for_each_awaited(p, [&](graph::NodeId node, TimePs) { arrival(node, job_.ready(p)); });
  }
  for (std::uint32_t o = 0; o < job_.operations.size(); ++o) {
    if (hub_used_[o] == 0) continue;
    const JobOperation& operation = job_.operations[o];
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p)
      arrival(job_.parts[p].progress, job_.first_hub + o);
  }
  for (std::uint32_t h = 0; h < chains_.hubs.size(); ++h) {
    const ArrivalHub& hub = chains_.hubs[h];
    if (hub.has_before()) arrival(chain_hub(h - 1), chain_hub(h));
    for (std::uint32_t i = hub.first; i < hub.end; ++i) arrival(job_.parts[chains_.arrivals[i]].progress, chain_hub(h));
  }
}

template <typename Add>
void JoinedEdges::for_each_edge_of(std::uint32_t r, Add& add) const {
  const graph::Graph& graph = ranks_[r].graph;
  const JobRank& rank = job_.ranks[r];
  for (graph::Position position = 0; position < graph.node_count(); ++position) {
    const graph::NodeId target = rank.first_node + graph.node_at(position);
    for (const graph::Slot slot : graph.incoming_at(position)) {
      const std::uint8_t type = graph.type(slot);
      const bool has_owner = graph.edge_tag(slot) != graph::kNoTag && ranks_[r].kind(slot) != EdgeKind::several;
      const std::uint32_t tag = graph.edge_tag(slot) + (has_owner ? rank.first_owner : 0);
      const std::span<const std::uint32_t> parts = joined_.of_slot[r][slot];
      const graph::NodeId source = rank.first_node + graph.source(slot);
      if (parts.size() == 1 && !joined_.parts[parts[0]].was_begun_before) {
        add(job_.ready(parts[0]), target, type, job_.time[target] - job_.time[job_.ready(parts[0])], tag);
        continue;
      }
      const TimePs left =
          parts.empty() ? graph.weight(slot) : job_.time[target] - last_released(parts, job_.time[source]);
      add(source, target, type, left, tag);
      for (const std::uint32_t p : parts)
        add(job_.ready(p), target, type, std::min(job_.time[target] - job_.time[job_.ready(p)], left), tag);
    }
  }
}

}  // namespace orrery::causal

#include "analyze/path/causal_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/distribution.h"
#include "base/percent.h"
#include "causal/edge_kind.h"
#include "graph/edits.h"
#include "graph/slack.h"
#include "graph/solve_many.h"

// Edges are grouped by rank, kind and name. One solution gives the path and, by slack, how far every group is from it;
// for the largest groups on the path the graph is solved again with them free of cost, many scenarios at a time, which
// says what improving them could gain.

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::EdgeKind;
using causal::JobOperation;
using causal::kNoRank;

/// One group per rank, kind and name; of transfers, which are nobody's, per name.
GroupedEdges group_edges(const CausalGraph& job) {
  GroupedEdges result;
  const graph::Graph& graph = job.graph;
  result.of_slot.resize_uninitialized(graph.edge_count());
  result.is_part.resize_uninitialized(graph.edge_count());
  // Kinds and names first become classes, so that tables by rank are no larger than what occurs.
  Column<std::uint32_t> class_number(causal::kJobEdgeKinds * job.strings.size(), ~0u);
  std::uint32_t classes = 0;
  std::vector<std::vector<std::uint32_t>> group_number(job.ranks.size() + 1);
  for (graph::Position position = 0; position < graph.node_count(); ++position) {
    const std::uint32_t target_rank = job.node_rank[graph.node_at(position)];
    for (const graph::Slot slot : graph.incoming_at(position)) {
      const causal::PieceClass piece = job.class_of(slot);
      const std::uint32_t rank = job.is_transfer(slot) ? kNoRank : target_rank;
      std::uint32_t& number = class_number[static_cast<std::size_t>(piece.kind) * job.strings.size() + piece.name];
      if (number == ~0u) number = classes++;
      std::vector<std::uint32_t>& groups = group_number[rank == kNoRank ? job.ranks.size() : rank];
      if (groups.size() <= number) groups.resize(classes, ~0u);
      if (groups[number] == ~0u) {
        groups[number] = static_cast<std::uint32_t>(result.groups.size());
        result.groups.push_back({.kind = piece.kind, .name = piece.name, .rank = rank});
      }
      result.of_slot[slot] = groups[number];
      result.is_part[slot] = causal::is_part(job, slot);
    }
  }
  return result;
}

void share_out(const CausalGraph& job, CausalPath& path) {
  path.ranks.assign(job.ranks.size(), 0);
  std::map<std::pair<StringId, StringId>, TimePs> transfers;
  std::uint32_t on_rank = kNoRank;  // where the path is, going forward
  const graph::Path& nodes = path.sums.path;
  for (std::size_t i = 0; i < nodes.slots.size(); ++i) {
    const graph::Slot slot = nodes.slots[i];
    const graph::NodeId from = nodes.nodes[i], to = nodes.nodes[i + 1];
    const std::uint32_t rank = job.node_rank[to];
    if (job.is_transfer(slot)) {
      const JobOperation& operation = job.operations[job.parts[job.part_of(from)].operation];
      transfers[{operation.what, operation.group}] += path.sums.solution.weight(slot);
    } else if (rank != kNoRank) {
      path.ranks[rank] += path.sums.solution.weight(slot);
    }
    if (rank == kNoRank) continue;
    if (on_rank != kNoRank && rank != on_rank)
      path.hops.push_back({path.sums.solution.finish(to), on_rank, rank, job.parts[job.part_of(to)].operation});
    on_rank = rank;
  }
  for (const auto& [key, time] : transfers) path.transfers.push_back({key.first, key.second, time});
  std::stable_sort(path.transfers.begin(), path.transfers.end(), [&](const TransferShare& a, const TransferShare& b) {
    const auto texts = [&](const TransferShare& share) {
      return std::pair(job.strings.text(share.what), job.strings.text(share.group));
    };
    return a.on_path != b.on_path ? a.on_path > b.on_path : texts(a) < texts(b);
  });
}

// Solves the graph once more for each of the first groups, with their members free of cost.
void measure_gains(const graph::Solution& solution, graph::NodeId end, const Column<std::uint32_t>& of_slot,
                   std::vector<Contributor>& top, const std::vector<std::uint32_t>& numbers) {
  const graph::Graph& graph = solution.graph();
  const std::uint32_t largest = *std::max_element(numbers.begin(), numbers.end());
  // Groups that are not asked about have no place: one pass over the edges serves all scenarios.
  std::vector<std::uint32_t> place(largest + 1, ~0u);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) place[numbers[i]] = i;
  std::vector<graph::Edits> scenarios(numbers.size(), graph::Edits(graph));
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
    const std::uint32_t number = of_slot[slot];
    if (number > largest || place[number] == ~0u) continue;
    scenarios[place[number]].set_weight(slot, 0);
  }
  const std::vector<graph::Solution> solved = graph::solve_many(scenarios, end);
  for (std::size_t i = 0; i < top.size(); ++i) top[i].gain_if_free = solution.length() - solved[i].length();
}

// Order takes no time, and nobody can make it faster; nor can anybody begin earlier than the recording.
bool can_be_changed(EdgeKind kind) {
  return kind != EdgeKind::order && kind != EdgeKind::arrival && kind != EdgeKind::before &&
         kind != EdgeKind::earlier_work;
}

}  // namespace

KindTimes PathSums::times() const {
  KindTimes times{};
  for (std::size_t kind = 0; kind < times.size(); ++kind) times[kind] = kinds[kind].on_path;
  return times;
}

PathSums sum_path(graph::Solution solution, graph::NodeId end, GroupedEdges edges, std::size_t top, bool with_gains) {
  PathSums result{std::move(solution), {}, {}, {}, {}};
  result.path = result.solution.path();
  const graph::Graph& graph = result.solution.graph();
  const graph::Slack slack(result.solution);
  const Column<TimePs> edge_slack = slack.edges();
  const auto kind_of = [&](graph::Slot slot) -> KindTotals& { return result.kinds[graph.type(slot)]; };
  std::vector<std::uint8_t> has_slack(edges.groups.size(), 0);
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
    const TimePs weight = result.solution.weight(slot);
    Contributor& group = edges.groups[edges.of_slot[slot]];
    std::uint8_t& is_known = has_slack[edges.of_slot[slot]];
    // The least of all members, since one without slack puts the whole group on some longest path.
    group.least_slack = is_known == 0 ? edge_slack[slot] : std::min(group.least_slack, edge_slack[slot]);
    is_known = 1;
    KindTotals& kind = kind_of(slot);
    ++kind.edges;
    // Parts of other edges count once, in the whole.
    if (edges.is_part[slot] != 0) continue;
    kind.total = plus_capped(kind.total, weight);
    group.total = plus_capped(group.total, weight);
    ++group.count;
  }
  for (const graph::Slot slot : result.path.slots) {
    const TimePs weight = result.solution.weight(slot);
    KindTotals& kind = kind_of(slot);
    kind.on_path = plus_capped(kind.on_path, weight);
    ++kind.path_edges;
    Contributor& group = edges.groups[edges.of_slot[slot]];
    group.on_path = plus_capped(group.on_path, weight);
    ++group.path_count;
  }
  // Nothing has more on the path than there is of it: parts that are on the path beside the whole (a call that its copy
  // takes place in) count, too.
  for (Contributor& group : edges.groups) {
    group.count = std::max(group.count, group.path_count);
    if (group.on_path <= group.total) continue;
    KindTotals& kind = result.kinds[static_cast<std::size_t>(group.kind)];
    kind.total = plus_capped(kind.total, group.on_path - group.total);
    group.total = group.on_path;
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t g = 0; g < edges.groups.size(); ++g) {
    if (can_be_changed(edges.groups[g].kind)) order.push_back(g);
  }
  // Stable: of equal groups the one that was met first leads, which does not depend on threads.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Contributor &x = edges.groups[a], &y = edges.groups[b];
    return x.on_path != y.on_path ? x.on_path > y.on_path : x.total > y.total;
  });
  order.resize(std::min(order.size(), top));
  for (const std::uint32_t g : order) result.contributors.push_back(edges.groups[g]);
  if (!with_gains) return result;
  if (!order.empty()) measure_gains(result.solution, end, edges.of_slot, result.contributors, order);
  result.relief = relieve(result.solution, result.times(), end);
  return result;
}

CausalPath take_path(const CausalGraph& job, graph::Solution solution, std::size_t top, bool with_gains) {
  CausalPath path{sum_path(std::move(solution), job.end, group_edges(job), top, with_gains), {}, {}, {}};
  path.sums.device_type = job.reach.device_type();
  share_out(job, path);
  return path;
}

std::string verdict(const PathSums& path) {
  return verdict(path.times(), path.length(), path.relief, path.device_type);
}

std::string verdict(const CausalGraph& job, const PathSums& path) {
  const causal::DeviceReach& reach = job.reach;
  // Work without a launch follows from the begin of the window. Where it is most of the path, that says what there is
  // to say.
  const TimePs on_device =
      path.on_path(EdgeKind::kernel) + path.on_path(EdgeKind::memory_copy) + path.on_path(EdgeKind::memory_set);
  if (reach.is_unreachable() && on_device < path.length() / 2) {
    const double of_all_ranks = static_cast<double>(job.span) * static_cast<double>(job.ranks.size());
    return fmt::format(
        "what bounds it was not recorded: devices are busy for {:.0f} % of it, and nothing tells which calls launched "
        "their work",
        share_percent(reach.busy, of_all_ranks));
  }
  if (reach.is_missing()) {
    return fmt::format("what bounds it was not recorded: there {} and no work of any device",
                       reach.launches == 1 ? "is a launch" : fmt::format("are {} launches", reach.launches));
  }
  return verdict(path);
}

TimePs typical_replay(const CausalGraph& job) {
  graph::Edits edits(job.graph);
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const EdgeKind kind = job.kind(slot);
    if (causal::is_idle(kind)) edits.set_weight(slot, 0);
    const std::uint32_t rank = job.rank_of(slot);
    if (rank == kNoRank) continue;
    if (kind == EdgeKind::launch_delay)
      // Typical delays only ever shorten: what was shorter than usual stays as it was.
      edits.set_weight(slot, std::min(job.graph.weight(slot), job.ranks[rank].typical_launch_delay));
    else if (kind == EdgeKind::kernel_gap || kind == EdgeKind::stream_wait)
      edits.set_weight(slot, std::min(job.graph.weight(slot), job.ranks[rank].typical_kernel_gap));
  }
  return graph::solve(edits, job.end).length();
}

}  // namespace orrery::analyze

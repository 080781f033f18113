#include "analyze/step_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/distribution.h"
#include "graph/edits.h"
#include "graph/slack.h"
#include "graph/solve_many.h"
#include "link/part_edges.h"

namespace orrery::analyze {
namespace {

using link::EdgeKind;
using link::kEdgeKinds;

/// One group per kind and name that occurs.
GroupedEdges group_edges(const link::StepGraph& step) {
  GroupedEdges result;
  Column<std::uint32_t> number(kEdgeKinds * step.strings.size(), ~0u);
  const graph::Graph& graph = step.graph;
  result.of_slot.resize_uninitialized(graph.edge_count());
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
    const EdgeKind kind = step.kind(slot);
    const std::uint32_t tag = graph.edge_tag(slot);
    // Gaps count as one group per kind.
    const StringId name = tag == graph::kNoTag || !is_named(kind) ? 0 : step.owners[tag].name;
    std::uint32_t& group = number[static_cast<std::size_t>(kind) * step.strings.size() + name];
    if (group == ~0u) {
      group = static_cast<std::uint32_t>(result.groups.size());
      result.groups.push_back({kind, name});
    }
    result.of_slot[slot] = group;
    result.is_part.push_back(link::is_part(step, slot));
  }
  return result;
}

// Solves the graph once more for each of the first groups, with their members free of cost.
void measure_gains(const graph::Solution& solution, graph::NodeId end, const Column<std::uint32_t>& of_slot, std::vector<Contributor>& top,
                   const std::vector<std::uint32_t>& numbers) {
  const graph::Graph& graph = solution.graph();
  const std::uint32_t largest = *std::max_element(numbers.begin(), numbers.end());
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
bool can_be_changed(EdgeKind kind) { return kind != EdgeKind::order && kind != EdgeKind::arrival && kind != EdgeKind::before; }

}  // namespace

KindTimes StepPath::times() const {
  KindTimes times{};
  for (std::size_t kind = 0; kind < times.size(); ++kind) times[kind] = kinds[kind].on_path;
  return times;
}

StepPath sum_path(graph::Solution solution, graph::NodeId end, GroupedEdges edges, std::size_t top, bool with_gains) {
  StepPath result{std::move(solution), {}, {}, {}, {}};
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
    group.least_slack = is_known == 0 ? edge_slack[slot] : std::min(group.least_slack, edge_slack[slot]);
    is_known = 1;
    KindTotals& kind = kind_of(slot);
    ++kind.edges;
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
  // Nothing has more on the path than there is of it: parts that are on the path beside the whole (a call that its copy takes place in) count, too.
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

StepPath take_path(const link::StepGraph& step, graph::Solution solution, std::size_t top, bool with_gains) {
  StepPath path = sum_path(std::move(solution), step.end, group_edges(step), top, with_gains);
  path.device_type = step.reach.device_type();
  return path;
}

std::string verdict(const StepPath& path) { return verdict(path.times(), path.length(), path.relief, path.device_type); }

namespace {

// What a path says, if devices can be on it. `whole`: what the devices' busy time is a part of, in ps.
std::string verdict_within(const link::DeviceReach& reach, double whole, const StepPath& path) {
  // Work without a launch follows from the begin of the window. Where it is most of the path, that says what there is to say.
  const TimePs on_device = path.on_path(EdgeKind::kernel) + path.on_path(EdgeKind::memory_copy) + path.on_path(EdgeKind::memory_set);
  if (reach.is_unreachable() && on_device < path.length() / 2) {
    return fmt::format(
        "what bounds it was not recorded: devices are busy for {:.0f} % of it, and nothing tells which calls launched their work",
        100.0 * static_cast<double>(reach.busy) / std::max(whole, 1.0));
  }
  if (reach.is_missing()) {
    return fmt::format("what bounds it was not recorded: there {} and no work of any device",
                       reach.launches == 1 ? "is a launch" : fmt::format("are {} launches", reach.launches));
  }
  return verdict(path);
}

}  // namespace

std::string verdict(const link::StepGraph& step, const StepPath& path) {
  return verdict_within(step.reach, static_cast<double>(step.window.span()), path);
}

std::string verdict(const link::JobGraph& job, const StepPath& path) {
  return verdict_within(job.reach, static_cast<double>(job.span) * static_cast<double>(job.ranks.size()), path);
}

}  // namespace orrery::analyze

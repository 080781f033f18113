#include "graph/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "graph/builder.h"
#include "graph/topological.h"

namespace orrery::graph {
namespace {

constexpr std::size_t kMaxActivities = std::size_t{1} << 31;
constexpr std::size_t kShownOnCycle = 6;

bool ascending(const Column<Activity>& activities) {
  return std::is_sorted(activities.begin(), activities.end(), [](const Activity& a, const Activity& b) { return a.id < b.id; });
}

Error cycle_error(const Program& program, std::span<const NodeId> from, std::span<const NodeId> to) {
  const auto count = static_cast<NodeId>(program.size());
  const std::vector<NodeId> cycle = find_cycle(count, from, to, kahn_order(count, from, to));
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShownOnCycle; ++i) text += fmt::format("{} -> ", program.ids[cycle[i]]);
  if (cycle.size() > kShownOnCycle) text += fmt::format("... ({} nodes) -> ", cycle.size());
  return {fmt::format("the dependencies form a cycle: {}{}", text, program.ids[cycle[0]]),
          {},
          Error::kNoOffset,
          "none of these nodes can ever start"};
}

}  // namespace

void ProgramBuilder::depend(std::uint64_t on, Dependency type) {
  needs_.push_back({static_cast<std::uint32_t>(activities_.size() - 1), type, on});
}

Status ProgramBuilder::sort() {
  if (!ascending(activities_)) {
    std::vector<std::uint32_t> order(activities_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return activities_[a].id < activities_[b].id; });
    Column<Activity> sorted(activities_.size());
    std::vector<std::uint32_t> place(activities_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      sorted[i] = activities_[order[i]];
      place[order[i]] = i;
    }
    activities_ = std::move(sorted);
    for (Need& need : needs_) need.activity = place[need.activity];
    std::stable_sort(needs_.begin(), needs_.end(), [](const Need& a, const Need& b) { return a.activity < b.activity; });
  }
  for (std::size_t i = 1; i < activities_.size(); ++i) {
    if (activities_[i].id == activities_[i - 1].id) return Error{fmt::format("two nodes have the id {}", activities_[i].id)};
  }
  return {};
}

Status ProgramBuilder::connect(Program& program) const {
  const std::size_t count = program.size();
  const bool dense = count > 0 && program.ids[count - 1] - program.ids[0] == count - 1;  // ids without gaps: no search needed
  const auto place_of = [&](std::uint64_t id) -> std::optional<NodeId> {
    if (count == 0 || id < program.ids[0] || id > program.ids[count - 1]) return std::nullopt;
    if (dense) return static_cast<NodeId>(id - program.ids[0]);
    const auto* const found = std::lower_bound(program.ids.begin(), program.ids.end(), id);
    if (*found != id) return std::nullopt;
    return static_cast<NodeId>(found - program.ids.begin());
  };
  Column<NodeId> from, to;
  Column<std::uint8_t> types;
  std::vector<NodeId> last_target(count, kNoNode);  // of a source: to see a dependency given twice
  for (const Need& need : needs_) {
    const std::optional<NodeId> source = place_of(need.on);
    if (!source) {
      return Error{fmt::format("node {} depends on node {}, which does not exist", program.ids[need.activity], need.on)};
    }
    if (last_target[*source] == need.activity) continue;
    last_target[*source] = need.activity;
    from.push_back(*source);
    to.push_back(need.activity);
    types.push_back(static_cast<std::uint8_t>(need.type));
  }
  GraphBuilder builder;
  builder.reserve(count, from.size());
  builder.add_nodes(count);
  for (std::size_t e = 0; e < from.size(); ++e) builder.add_edge(from[e], to[e], types[e], 0);
  Result<Graph> graph = std::move(builder).build();
  if (!graph) return cycle_error(program, from, to);  // ids and weights are in range: nothing else can be wrong
  program.dependencies = std::move(*graph);
  return {};
}

Result<Program> ProgramBuilder::build() && {
  const std::size_t count = activities_.size();
  if (count >= kMaxActivities || needs_.size() >= kMaxActivities) return Error{fmt::format("too many nodes or dependencies ({})", count)};
  if (const Status sorted = sort(); !sorted) return sorted.error();
  Program program;
  program.ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Activity& activity = activities_[i];
    program.ids.push_back(activity.id);
    program.names.push_back(activity.name);
    program.kinds.push_back(activity.kind);
    program.flags.push_back(activity.flags);
    program.durations_ps.push_back(activity.duration_ps);
    program.bytes.push_back(activity.bytes);
    program.operations.set(i, activity.operations);
    program.peers.set(i, activity.peer);
    program.tags.set(i, activity.tag);
    program.collectives.set(i, activity.collective);
    program.group_names.set(i, activity.group_name);
    program.priorities.set(i, activity.priority);
    program.excluded_dims.set(i, activity.excluded_dims);
    program.starts_ps.set(i, activity.start_ps);
    program.lanes.set(i, activity.lane);
  }
  program.operations.complete(count);
  program.peers.complete(count);
  program.tags.complete(count);
  program.collectives.complete(count);
  program.group_names.complete(count);
  program.priorities.complete(count);
  program.excluded_dims.complete(count);
  program.starts_ps.complete(count);
  program.lanes.complete(count);
  activities_ = Column<Activity>();
  if (const Status connected = connect(program); !connected) return connected.error();
  return program;
}

}  // namespace orrery::graph

#include "workload/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

#include "graph/topological.h"
#include "report/counted.h"

// Columns are filled as activities come, in any order of ids; dependencies are kept as pairs of ids, since what they
// name may come later. At the end all is sorted by id at once, ids become places, and the graph is built; a cycle is
// then looked for only to be told.

namespace orrery::workload {

using graph::kNoNode;
using graph::NodeId;
namespace {

// Places are 32 bits, and the highest of them are marks.
constexpr std::size_t kMaxActivities = std::size_t{1} << 31;
constexpr std::size_t kShownOnCycle = 6;

/// Finds the place of an id among ascending ones: by arithmetic if there are no gaps, in a table if there are few, else
/// by search.
class PlaceOfId {
 public:
  explicit PlaceOfId(std::span<const std::uint64_t> ids) : ids_(ids) {
    if (ids.empty()) return;
    const std::uint64_t span = ids.back() - ids.front();
    without_gaps_ = span == ids.size() - 1;
    // A table with up to eight empty places per id is still smaller and faster than a search.
    if (without_gaps_ || span / kMostGaps > ids.size()) return;
    places_.assign(span + 1, kNoNode);
    for (std::size_t i = 0; i < ids.size(); ++i) places_[ids[i] - ids.front()] = static_cast<NodeId>(i);
  }

  /// kNoNode if there is none.
  [[nodiscard]] NodeId operator()(std::uint64_t id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return kNoNode;
    if (without_gaps_) return static_cast<NodeId>(id - ids_.front());
    if (!places_.empty()) return places_[id - ids_.front()];
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
    return *found == id ? static_cast<NodeId>(found - ids_.begin()) : kNoNode;
  }

 private:
  static constexpr std::uint64_t kMostGaps = 8;  // the table is at most this many times as long as the ids

  std::span<const std::uint64_t> ids_;
  Column<NodeId> places_;
  bool without_gaps_ = false;
};

/// Calls `f` with each column that has a value for only some activities.
template <typename F>
void for_optional_columns(Program& program, const F& f) {
  f(program.operations), f(program.peers), f(program.peer_roles), f(program.tags), f(program.collectives),
      f(program.group_names);
  f(program.priorities), f(program.excluded_dims), f(program.starts_ps), f(program.lanes), f(program.part_lists);
}

}  // namespace

void ProgramBuilder::add(const Activity& activity) {
  const std::size_t i = program_.size();
  ascending_ &= i == 0 || program_.ids.back() < activity.id;
  program_.ids.push_back(activity.id);
  program_.names.push_back(activity.name);
  program_.kinds.push_back(activity.kind);
  program_.flags.push_back(activity.flags);
  durations_.push_back(activity.duration_ps);
  program_.bytes.push_back(activity.bytes);
  program_.operations.set(i, activity.operations);
  program_.peers.set(i, activity.peer);
  program_.peer_roles.set(i, activity.peer_role);
  program_.tags.set(i, activity.tag);
  program_.collectives.set(i, activity.collective);
  program_.group_names.set(i, activity.group_name);
  program_.priorities.set(i, activity.priority);
  program_.excluded_dims.set(i, activity.excluded_dims);
  program_.starts_ps.set(i, activity.start_ps);
  program_.lanes.set(i, activity.lane);
}

void ProgramBuilder::set_parts(std::vector<std::int64_t> parts) {
  program_.parts.push_back(std::move(parts));
  program_.part_lists.set(program_.size() - 1, static_cast<std::uint32_t>(program_.parts.size()));
}

void ProgramBuilder::repeat(std::size_t first, std::size_t count, std::uint64_t before, std::uint64_t now) {
  const std::size_t at = size(), shift = at - first;
  // By pointers that are taken anew: resizing may have moved what is copied from.
  const auto again = [&](auto& column) {
    column.resize_uninitialized(at + count);
    std::copy_n(column.data() + first, count, column.data() + at);
  };
  again(program_.ids);
  for (std::size_t i = at; i < at + count; ++i) program_.ids[i] += shift;
  again(program_.names);
  again(program_.kinds);
  again(program_.flags);
  again(durations_);
  again(program_.bytes);
  for_optional_columns(program_, [&](auto& column) { column.repeat(first, count, at); });
  const auto by_activity = [](const Need& need, std::size_t activity) { return need.activity < activity; };
  const auto begin = std::lower_bound(needs_.begin(), needs_.end(), first, by_activity) - needs_.begin();
  const auto end = std::lower_bound(needs_.begin(), needs_.end(), first + count, by_activity) - needs_.begin();
  for (auto i = begin; i < end; ++i) {
    const Need need = needs_[static_cast<std::size_t>(i)];
    needs_.push_back(
        // What depended on the activity before the first repetition now depends on the last one of the repetition
        // before.
        {static_cast<std::uint32_t>(need.activity + shift), need.type, need.on == before ? now : need.on + shift});
  }
}

Status ProgramBuilder::sort() {
  if (ascending_) return {};
  std::vector<std::uint32_t> order(size()), place(size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return program_.ids[a] < program_.ids[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  // A scatter per column instead of a sort of rows: each column is passed once.
  scatter(program_.ids, place);
  scatter(program_.names, place);
  scatter(program_.kinds, place);
  scatter(program_.flags, place);
  scatter(durations_, place);
  scatter(program_.bytes, place);
  for_optional_columns(program_, [&](auto& column) { column.scatter(place); });
  for (Need& need : needs_) need.activity = place[need.activity];
  std::stable_sort(needs_.begin(), needs_.end(), [](const Need& a, const Need& b) { return a.activity < b.activity; });
  const auto* const twice = std::adjacent_find(program_.ids.begin(), program_.ids.end());
  if (twice != program_.ids.end()) return Error{fmt::format("two nodes have the id {}", *twice)};
  return {};
}

/// Calls take(source, need) for every dependency that counts.
template <typename Take>
Status ProgramBuilder::resolve(DanglingControl* left_out, const Take& take) const {
  const PlaceOfId place_of(program_.ids);
  // Needs are sorted by activity, so that one last target per source is enough.
  std::vector<NodeId> last_target(size(), kNoNode);  // of a source: to see a dependency given twice
  for (const Need& need : needs_) {
    if (data_only_ && need.type == Dependency::control) continue;
    const NodeId source = place_of(need.on);
    if (source == kNoNode) {
      const std::uint64_t id = program_.ids[need.activity];
      if (left_out == nullptr || need.type != Dependency::control)
        return Error{fmt::format("node {} depends on node {}, which does not exist", id, need.on)};
      if (left_out->count++ == 0) left_out->first_id = id, left_out->first_on = need.on;
      continue;
    }
    if (last_target[source] == need.activity) continue;
    last_target[source] = need.activity;
    take(source, need);
  }
  return {};
}

Error ProgramBuilder::cycle_error() const {
  std::vector<NodeId> from, to;
  DanglingControl ignored;
  const Status resolved =
      resolve(&ignored, [&](NodeId source, const Need& need) { from.push_back(source), to.push_back(need.activity); });
  if (!resolved) return resolved.error();
  const auto count = static_cast<NodeId>(size());
  const std::vector<NodeId> cycle = graph::find_cycle(count, from, to, graph::kahn_order(count, from, to));
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShownOnCycle; ++i)
    text += fmt::format("{} -> ", program_.ids[cycle[i]]);
  if (cycle.size() > kShownOnCycle) text += fmt::format("... ({}) -> ", report::counted(cycle.size(), "node"));
  return {fmt::format("the dependencies form a cycle: {}{}", text, program_.ids[cycle[0]]),
          {},
          Error::kNoOffset,
          "none of these nodes can ever start"};
}

Result<graph::Graph> ProgramBuilder::make_graph(DanglingControl* left_out) const {
  graph::GraphBuilder builder = dependency_builder();
  builder.reserve(size(), needs_.size());
  for (std::size_t i = 0; i < size(); ++i) builder.add_node(durations_[i]);
  const Status resolved = resolve(left_out, [&](NodeId source, const Need& need) {
    builder.add_edge(source, need.activity, static_cast<std::uint8_t>(need.type), 0);
  });
  if (!resolved) return resolved.error();
  Result<graph::Graph> graph = std::move(builder).build();
  // The error of a cycle names ids, which the graph does not know.
  if (!graph) return cycle_error();  // ids, durations and weights are in range: nothing else can be wrong
  return graph;
}

// Chakra's first feeder looks at data dependencies only, and some of its traces have control dependencies that nobody
// could follow.
Status ProgramBuilder::connect_by_data(const Error& circle, DanglingControl& left_out) {
  const auto is_control = [](const Need& need) { return need.type == Dependency::control; };
  const auto count = static_cast<std::uint64_t>(std::count_if(needs_.begin(), needs_.end(), is_control));
  if (count == 0) return circle;
  data_only_ = true;
  Result<graph::Graph> graph = make_graph(&left_out);
  if (!graph) return graph.error();
  left_out = {.circular = count};
  program_.dependencies = std::move(*graph);
  return {};
}

Status ProgramBuilder::connect(DanglingControl* left_out) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::abs(durations_[i]) > graph::kMaxWeightPs)
      return Error{fmt::format("node {} lasts longer than 26 days", program_.ids[i])};
  }
  Result<graph::Graph> graph = make_graph(left_out);
  if (!graph) return left_out == nullptr ? Status(graph.error()) : connect_by_data(graph.error(), *left_out);
  program_.dependencies = std::move(*graph);
  return {};
}

Result<Program> ProgramBuilder::build(DanglingControl* left_out) && {
  if (size() >= kMaxActivities || needs_.size() >= kMaxActivities)
    return Error{fmt::format("too many nodes or dependencies ({})", size())};
  for_optional_columns(program_, [&](auto& column) { column.complete(size()); });
  if (const Status sorted = sort(); !sorted) return sorted.error();
  if (const Status connected = connect(left_out); !connected) return connected.error();
  return std::move(program_);
}

}  // namespace orrery::workload

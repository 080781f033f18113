#include "analyze/schedule/schedule_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <utility>

#include "graph/edits.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "simulate/causes.h"
#include "simulate/schedule_graph.h"

// The schedule is turned into a graph that explains it. Its longest path says what the makespan consists of; solved
// again with one sort of work shortened at a time, it says what the makespan reacts to. A graph that does not replay to
// the makespan is of another simulator's rules: then nothing is said rather than something wrong.

namespace orrery::analyze {
namespace {

using simulate::JobPlan;
using simulate::Schedule;
using simulate::ScheduleEdge;
using workload::ActivityKind;

constexpr DiagnosticKind kGraphTooLarge{
    "S120", Severity::note, "the sensitivity of the makespan is not shown: the graph of the run is too large",
    "the critical path is whole; ask for fewer ranks or steps, or leave ranks that behave alike folded"};
constexpr DiagnosticKind kGraphDiffers{
    "S121", Severity::note, "the sensitivity of the makespan is not shown: its graph does not explain the run",
    "another simulator's rules are not all known here; a model of links (fluid) tells why"};

/// What is shortened together.
struct Sort {
  ActivityKind kind =
      ActivityKind::none;  ///< recv stands for all messages, memory_load for all memory, metadata for begin
  bool on_host = false;
  workload::Collective collective = workload::Collective::all_reduce;
  StringId group = 0;

  auto operator<=>(const Sort&) const = default;
};

constexpr Sort kBegin{ActivityKind::metadata};

Sort sort_of(const workload::Program& program, std::size_t i) {
  switch (program.kinds[i]) {
    case ActivityKind::compute: return {ActivityKind::compute, program.has(i, workload::activity::kOnHost)};
    case ActivityKind::memory_load:
    case ActivityKind::memory_store: return {ActivityKind::memory_load};
    case ActivityKind::send:
    case ActivityKind::recv: return {ActivityKind::recv};
    case ActivityKind::collective:
      return {ActivityKind::collective, false, program.collectives[i], program.group_names[i]};
    case ActivityKind::none:
    case ActivityKind::metadata: break;
  }
  return {};
}

std::string name_of(const Sort& sort) {
  switch (sort.kind) {
    case ActivityKind::compute: return sort.on_host ? "host compute" : "compute";
    case ActivityKind::memory_load: return "memory";
    case ActivityKind::recv: return "messages";
    case ActivityKind::collective: return std::string(to_string(sort.collective));
    case ActivityKind::metadata: return "begin";
    default: return "other";
  }
}

// Rounded so that what takes any time takes less only by whole parts.
TimePs lessened(TimePs time) { return time - time / (100 / kLessPercent); }

class Reactions {
 public:
  Reactions(const workload::Workload& workload, const Schedule& schedule, const simulate::ScheduleGraph& made)
      : workload_(workload),
        graph_(made.graph),
        solution_(graph::solve(made.graph)),
        of_node_(graph_.node_count(), kNoSort) {
    std::size_t number = 0;
    for (const std::uint32_t rank : schedule.ranks_with_activities(workload.rank_count())) {
      const workload::Program& program = workload.program(rank);
      for (std::size_t i = 0; i < program.size(); ++i, ++number) {
        const graph::NodeId node = made.end_nodes[number];
        // Nodes without duration have nothing to shorten.
        if (graph_.duration(node) > 0) of_node_[node] = place_of(sort_of(program, i));
      }
    }
    // Starts without a cause are edges from the begin: shortened like work, since somebody chose them.
    for (graph::Slot slot = 0; slot < graph_.edge_count(); ++slot) {
      if (graph_.type(slot) != static_cast<std::uint8_t>(ScheduleEdge::begin)) continue;
      begins_.push_back(slot);
      place_of(kBegin);
    }
  }

  [[nodiscard]] TimePs length() const { return solution_.length(); }

  std::vector<Reaction> take() {
    add_path();
    add_slack();
    // One solution per sort: there are few of them, and each solution is linear in the graph.
    for (std::uint32_t sort = 0; sort < rows_.size(); ++sort) rows_[sort].less_makespan_ps = makespan_with_less({sort});
    std::vector<Reaction> unions = find_unions();
    std::vector<std::pair<Sort, Reaction>> order;
    for (const auto& [sort, place] : places_) order.emplace_back(sort, std::move(rows_[place]));
    // By sort first, as the map has them, so that equal rows have one order everywhere.
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return comes_before(a.second, b.second); });
    std::vector<Reaction> rows;
    for (auto& [sort, row] : order) {
      row.what = name_of(sort);
      if (sort.kind == ActivityKind::collective)
        row.group = sort.group == 0 ? "all ranks" : workload_.strings.text(sort.group);
      rows.push_back(std::move(row));
    }
    // A union stands where it belongs by what it is: before the groups that it is made of.
    rows.insert(rows.end(), std::make_move_iterator(unions.begin()), std::make_move_iterator(unions.end()));
    std::stable_sort(rows.begin(), rows.end(), comes_before);
    return rows;
  }

 private:
  static constexpr std::uint32_t kNoSort = ~std::uint32_t{0};

  static bool comes_before(const Reaction& x, const Reaction& y) {
    return x.on_path_ps != y.on_path_ps ? x.on_path_ps > y.on_path_ps : x.less_makespan_ps < y.less_makespan_ps;
  }

  std::uint32_t place_of(const Sort& sort) {
    const auto [found, fresh] = places_.try_emplace(sort, static_cast<std::uint32_t>(rows_.size()));
    if (fresh) rows_.emplace_back().least_slack_ps = graph::kUnlimited;
    return found->second;
  }

  void add_path() {
    const graph::Path path = solution_.path();
    const auto add = [&](std::uint32_t sort, TimePs time) {
      rows_[sort].on_path_ps += time;
      ++rows_[sort].pieces;
    };
    // Where the path leaves a node by its start, the node's own time is not on it.
    for (std::size_t i = 0; i < path.nodes.size(); ++i) {
      const bool by_start = i < path.slots.size() && graph_.is_start_to_start(path.slots[i]);
      if (of_node_[path.nodes[i]] != kNoSort && !by_start) add(of_node_[path.nodes[i]], graph_.duration(path.nodes[i]));
    }
    for (const graph::Slot slot : path.slots) {
      if (graph_.type(slot) == static_cast<std::uint8_t>(ScheduleEdge::begin))
        add(places_.at(kBegin), graph_.weight(slot));
    }
  }

  void add_slack() {
    const graph::Slack slack(solution_);
    const auto add = [&](std::uint32_t sort, TimePs time) {
      rows_[sort].least_slack_ps = std::min(rows_[sort].least_slack_ps, time);
    };
    for (graph::NodeId node = 0; node < graph_.node_count(); ++node) {
      if (of_node_[node] != kNoSort) add(of_node_[node], slack.node(node));
    }
    // Slack of edges costs memory of the size of the graph: only where it is needed.
    if (begins_.empty()) return;
    const Column<TimePs> edges = slack.edges();
    for (const graph::Slot slot : begins_) add(places_.at(kBegin), edges[slot]);
  }

  /// Groups of one kind and size that do the same side by side: each alone hides behind the others. All of them
  /// together, where that saves more than they do one by one.
  [[nodiscard]] std::vector<Reaction> find_unions() const {
    std::map<StringId, std::size_t> members;
    for (const workload::CommGroup& group : workload_.groups) members[group.name] = group.ranks.size();
    std::map<std::pair<workload::Collective, std::size_t>, std::vector<std::uint32_t>> alike;
    for (const auto& [sort, place] : places_) {
      const auto known = members.find(sort.group);
      if (sort.kind == ActivityKind::collective && known != members.end())
        alike[{sort.collective, known->second}].push_back(place);
    }
    std::vector<Reaction> unions;
    for (const auto& [key, sorts] : alike) {
      if (sorts.size() < 2) continue;
      Reaction all{.what = std::string(to_string(key.first)),
                   .group = fmt::format("{} groups of {}", format_count(sorts.size()), format_count(key.second)),
                   .least_slack_ps = graph::kUnlimited};
      TimePs one_by_one = 0;
      for (const std::uint32_t sort : sorts) {
        all.pieces += rows_[sort].pieces;
        all.on_path_ps += rows_[sort].on_path_ps;
        all.least_slack_ps = std::min(all.least_slack_ps, rows_[sort].least_slack_ps);
        one_by_one += length() - rows_[sort].less_makespan_ps;
      }
      all.less_makespan_ps = makespan_with_less(sorts);
      // Where the union saves no more than its parts, the parts have said it all.
      if (length() - all.less_makespan_ps > one_by_one) unions.push_back(std::move(all));
    }
    return unions;
  }

  [[nodiscard]] TimePs makespan_with_less(const std::vector<std::uint32_t>& sorts) const {
    std::vector<std::uint8_t> is_less(rows_.size(), 0);
    for (const std::uint32_t sort : sorts) is_less[sort] = 1;
    graph::Edits edits(graph_);
    for (graph::NodeId node = 0; node < graph_.node_count(); ++node) {
      if (of_node_[node] != kNoSort && is_less[of_node_[node]] != 0)
        edits.set_duration(node, lessened(graph_.duration(node)));
    }
    const auto begin = places_.find(kBegin);
    if (begin != places_.end() && is_less[begin->second] != 0) {
      for (const graph::Slot slot : begins_) edits.set_weight(slot, lessened(graph_.weight(slot)));
    }
    return graph::solve(edits).length();
  }

  const workload::Workload& workload_;
  const graph::Graph& graph_;
  graph::Solution solution_;
  Column<std::uint32_t> of_node_;         // into rows_
  std::vector<graph::Slot> begins_;       // edges that stand for starts without a cause
  std::map<Sort, std::uint32_t> places_;  // into rows_
  std::vector<Reaction> rows_;
};

Result<std::vector<Reaction>> find_reactions(simulate::Causes& causes, const JobPlan& plan, const Schedule& schedule,
                                             Diagnostics& diagnostics, std::uint64_t most_bytes) {
  const std::uint64_t bytes = simulate::schedule_graph_bytes(plan, schedule);
  // The size is estimated before anything is made, so that a large run is refused instead of dying.
  if (bytes > most_bytes) {
    diagnostics.add(kGraphTooLarge, [&] {
      return fmt::format("{} activities would take {}, more than {}", format_count(schedule.activity_count()),
                         format_bytes(bytes), format_bytes(most_bytes));
    });
    return std::vector<Reaction>();
  }
  const Result<simulate::ScheduleGraph> made = simulate::schedule_graph(causes, plan, schedule);
  if (!made) return made.error();
  Reactions reactions(plan.workload(), schedule, *made);
  if (reactions.length() != schedule.makespan_ps()) {
    diagnostics.add(kGraphDiffers, [&] {
      return fmt::format("it takes {} instead of {}", format_duration(reactions.length()),
                         format_duration(schedule.makespan_ps()));
    });
    return std::vector<Reaction>();
  }
  return reactions.take();
}

}  // namespace

Result<ScheduleReasons> find_reasons(const workload::Workload& workload, const Schedule& schedule, ReasonsAsked asked,
                                     Diagnostics& diagnostics, std::uint64_t most_graph_bytes) {
  ScheduleReasons reasons;
  if (!asked.path && !asked.waits) return reasons;
  const Result<JobPlan> plan = simulate::plan_job(workload, {});
  if (!plan) return plan.error();
  simulate::Causes causes(*plan, schedule);
  if (asked.waits) reasons.waits = simulate::sum_waits(causes, *plan, schedule);
  if (!asked.path) return reasons;
  reasons.path = simulate::critical_path(causes, workload, schedule);
  Result<std::vector<Reaction>> reactions = find_reactions(causes, *plan, schedule, diagnostics, most_graph_bytes);
  if (!reactions) return reactions.error();
  reasons.reactions = std::move(*reactions);
  return reasons;
}

}  // namespace orrery::analyze

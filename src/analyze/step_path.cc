#include "analyze/step_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/edits.h"
#include "graph/slack.h"
#include "graph/solve_many.h"

namespace orrery::analyze {
namespace {

using link::EdgeKind;
using link::kEdgeKinds;

bool is_named(EdgeKind kind) { return link::is_host(kind) || link::is_device(kind) || kind == EdgeKind::sync_return; }

/// Numbers the groups: one per kind and name that occurs.
class Groups {
 public:
  explicit Groups(const link::StepGraph& step) : number_(kEdgeKinds * step.strings.size(), ~0u) {
    const graph::Graph& graph = step.graph;
    of_slot_.resize_uninitialized(graph.edge_count());
    for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) {
      const EdgeKind kind = step.kind(slot);
      const std::uint32_t tag = graph.edge_tag(slot);
      // A gap between two kernels has an owner, too, but it is no property of that kernel: gaps count as one group per kind.
      const StringId name = tag == graph::kNoTag || !is_named(kind) ? 0 : step.owners[tag].name;
      std::uint32_t& number = number_[static_cast<std::size_t>(kind) * step.strings.size() + name];
      if (number == ~0u) {
        number = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({kind, name});
      }
      of_slot_[slot] = number;
    }
  }

  [[nodiscard]] std::uint32_t of(graph::Slot slot) const { return of_slot_[slot]; }
  std::vector<Contributor>& all() { return groups_; }

 private:
  Column<std::uint32_t> number_;
  Column<std::uint32_t> of_slot_;
  std::vector<Contributor> groups_;
};

// Solves the graph once more for each of the first groups, with their members free of cost.
void measure_gains(const link::StepGraph& step, const graph::Solution& solution, const Groups& groups, std::vector<Contributor>& top,
                   const std::vector<std::uint32_t>& numbers) {
  const std::uint32_t largest = *std::max_element(numbers.begin(), numbers.end());
  std::vector<std::uint32_t> place(largest + 1, ~0u);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) place[numbers[i]] = i;
  std::vector<graph::Edits> scenarios(numbers.size(), graph::Edits(step.graph));
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const std::uint32_t number = groups.of(slot);
    if (number > largest || place[number] == ~0u) continue;
    scenarios[place[number]].set_weight(slot, 0);
  }
  const std::vector<graph::Solution> solved = graph::solve_many(scenarios, step.end);
  for (std::size_t i = 0; i < top.size(); ++i) top[i].gain_if_free = solution.length() - solved[i].length();
}

}  // namespace

StepPath take_path(const link::StepGraph& step, graph::Solution solution, std::size_t top, bool with_gains) {
  StepPath result{std::move(solution), {}, {}, {}};
  result.path = result.solution.path();
  Groups groups(step);
  const graph::Slack slack(result.solution);
  const Column<TimePs> edge_slack = slack.edges();
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const TimePs weight = result.solution.weight(slot);
    KindTotals& kind = result.kinds[static_cast<std::size_t>(step.kind(slot))];
    kind.total += weight;
    ++kind.edges;
    Contributor& group = groups.all()[groups.of(slot)];
    group.total += weight;
    group.least_slack = group.count == 0 ? edge_slack[slot] : std::min(group.least_slack, edge_slack[slot]);
    ++group.count;
  }
  for (const graph::Slot slot : result.path.slots) {
    const TimePs weight = result.solution.weight(slot);
    KindTotals& kind = result.kinds[static_cast<std::size_t>(step.kind(slot))];
    kind.on_path += weight;
    ++kind.path_edges;
    Contributor& group = groups.all()[groups.of(slot)];
    group.on_path += weight;
    ++group.path_count;
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t g = 0; g < groups.all().size(); ++g) {
    if (groups.all()[g].kind != EdgeKind::order) order.push_back(g);  // order takes no time, and nobody can make it faster
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Contributor &x = groups.all()[a], &y = groups.all()[b];
    return x.on_path != y.on_path ? x.on_path > y.on_path : x.total > y.total;
  });
  order.resize(std::min(order.size(), top));
  for (const std::uint32_t g : order) result.contributors.push_back(groups.all()[g]);
  if (with_gains && !order.empty()) measure_gains(step, result.solution, groups, result.contributors, order);
  return result;
}

std::string verdict(const StepPath& path) {
  const auto sum = [&](std::initializer_list<EdgeKind> kinds) {
    TimePs total = 0;
    for (const EdgeKind kind : kinds) total += path.on_path(kind);
    return total;
  };
  struct Share {
    TimePs time;
    const char* phrase;
  };
  const Share shares[] = {
      {sum({EdgeKind::cpu_operator, EdgeKind::cpu_python, EdgeKind::cpu_untraced, EdgeKind::handoff}), "CPU-bound"},
      {sum({EdgeKind::cpu_runtime, EdgeKind::launch_delay, EdgeKind::sync_return}), "launch- and sync-bound (time in the device runtime)"},
      {sum({EdgeKind::data_loading}), "bound by data loading"},
      {sum({EdgeKind::kernel, EdgeKind::memory_set}), "GPU compute-bound"},
      {sum({EdgeKind::communication}), "bound by communication"},
      {sum({EdgeKind::memory_copy}), "bound by memory copies"},
      {sum({EdgeKind::kernel_gap, EdgeKind::stream_wait}), "gaps between kernels"},
      {path.unexplained(), "idle without a recorded cause"},
  };
  std::vector<Share> sorted(std::begin(shares), std::end(shares));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Share& a, const Share& b) { return a.time > b.time; });
  const auto whole = static_cast<double>(std::max<TimePs>(path.length(), 1));  // everything may have been edited away
  std::string text;
  for (const Share& share : sorted) {
    const double percent = 100.0 * static_cast<double>(share.time) / whole;
    if (!text.empty() && percent < 10.0) break;  // a phrase, not a table: what is below a tenth does not bound the step
    text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", percent, share.phrase);
  }
  return text;
}

}  // namespace orrery::analyze

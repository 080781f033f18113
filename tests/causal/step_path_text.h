// A step's longest path as lines of text, so that tests can write down the whole answer.
#pragma once

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "causal/causal_graph.h"
#include "graph/longest_path.h"
#include "support/kineto_lines.h"

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};

namespace orrery::causal::testing {

using orrery::testing::SmallTrace;

using Lines = std::vector<std::string>;

inline std::string us_text(TimePs ps) { return decimal_us(ps); }

/// "kernel gemm 50": kind, name of the event it belongs to (if any), microseconds.
/// `step`: a RankGraph or CausalGraph.
template <typename AnyGraph>
std::string describe(const AnyGraph& step, graph::Slot slot, TimePs weight) {
  std::string text = identifier(step.kind(slot));
  if (const std::uint32_t tag = step.graph.edge_tag(slot); tag != graph::kNoTag)
    text += " " + std::string(step.strings.text(step.owners[tag].name));
  return text + " " + us_text(weight);
}

/// The path from begin to end without what costs nothing.
template <typename AnyGraph>
Lines path_lines(const AnyGraph& step, const graph::Solution& solution) {
  Lines lines;
  for (const graph::Slot slot : solution.path().slots) {
    if (solution.weight(slot) != 0) lines.push_back(describe(step, slot, solution.weight(slot)));
  }
  return lines;
}

/// Whether the graph has an edge of this description, on the path or not.
inline bool has_edge(const RankGraph& step, const std::string& description) {
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    if (describe(step, slot, step.graph.weight(slot)) == description) return true;
  }
  return false;
}

/// What every step's graph promises: the path is the window, every moment is explained to the picosecond, and causes
/// come first. Returns what does not hold, or nothing.
inline std::string broken_promise(const RankGraph& step) {
  const graph::Solution solution = graph::solve(step.graph, step.end);
  if (solution.length() != step.window.span() || step.residual_percent(solution.length()) != 0)
    return "the path is not as long as the window";
  if (step.time[step.begin] != 0 || step.time[step.end] != step.window.span()) return "the window has other ends";
  for (graph::NodeId node = 0; node < step.graph.node_count(); ++node) {
    if (node != step.begin && solution.chosen(node) == graph::kNoSlot)
      return "no cause for what happened at " + us_text(step.time[node]);
    if (solution.finish(node) != step.time[node])
      return "replayed at " + us_text(solution.finish(node)) + " instead of " + us_text(step.time[node]);
  }
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const TimePs weight = step.graph.weight(slot);
    const TimePs between = step.time[step.graph.target(slot)] - step.time[step.graph.source(slot)];
    if (between < 0 || weight < 0 || weight > between)
      return describe(step, slot, weight) + " between moments " + us_text(between) + " apart";
    if (step.kind(slot) == EdgeKind::order && weight != 0) return "order has a cost: " + describe(step, slot, weight);
  }
  return "";
}

inline RankGraph make_step(const SmallTrace& small, const WindowRequest& request, Diagnostics& diagnostics) {
  Result<RankGraph> step = make_rank_graph(small.trace(), small.rank(), request, diagnostics);
  if (!step) throw std::runtime_error(step.error().to_string());
  return std::move(*step);
}

/// The step of a small trace, with its promises checked.
struct SmallStep {
  explicit SmallStep(std::string_view lines, const WindowRequest& request = {}, std::string_view members = {})
      : SmallStep(SmallTrace(lines, members), request) {}
  SmallStep(const SmallTrace& small, const WindowRequest& request) : step(make_step(small, request, diagnostics)) {
    CHECK(broken_promise(step).empty());
    Diagnostics repeated;
    job = causal_graph_of(make_step(small, request, repeated));
  }

  [[nodiscard]] Lines path() const { return path_lines(step, graph::solve(step.graph, step.end)); }
  [[nodiscard]] TimePs span_us() const { return step.window.span() / kPsPerUs; }
  [[nodiscard]] std::uint64_t count(std::string_view code) const {
    return orrery::testing::count_of(diagnostics, code);
  }

  Diagnostics diagnostics;
  RankGraph step;
  CausalGraph job;  ///< of this rank alone
};

inline WindowRequest whole() { return {.annotation = "", .first_instance = {}, .last_instance = {}}; }
inline WindowRequest instance_of(const std::string& annotation, std::size_t instance) {
  return {.annotation = annotation, .first_instance = instance, .last_instance = instance};
}

}  // namespace orrery::causal::testing

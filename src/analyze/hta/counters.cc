#include "analyze/hta/counters.h"

#include <algorithm>

#include "analyze/hta/call_graph.h"
#include "analyze/hta/kernel_sequences.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

constexpr const char* kRange = "cuda_profiler_range";

template <typename Test>
std::vector<RowIndex> by_start(const Rows& rows, Test&& test) {
  std::vector<RowIndex> found;
  for (const RowIndex r : rows.frame) {
    if (test(r)) found.push_back(r);
  }
  std::stable_sort(found.begin(), found.end(), [&](RowIndex a, RowIndex b) { return rows.ts[a] < rows.ts[b]; });
  return found;
}

std::vector<std::string> operators_around(const Rows& rows, const CallGraph& graph, RowIndex launch) {
  std::vector<RowIndex> around = graph.ancestors(launch);
  const std::vector<RowIndex> below = graph.subtree(launch);
  around.insert(around.end(), below.begin(), below.end());
  std::sort(around.begin(), around.end());
  // Ancestors and subtree share the launch itself.
  around.erase(std::unique(around.begin(), around.end()), around.end());
  std::stable_sort(around.begin(), around.end(), [&](RowIndex a, RowIndex b) { return rows.ts[a] < rows.ts[b]; });
  std::vector<std::string> names;
  for (const RowIndex r : around) {
    if (rows.category_text(r) == "cpu_op") names.emplace_back(rows.name_text(r));
  }
  return names;
}

}  // namespace

std::vector<RowIndex> counted_ranges(const RankRows& rank) {
  const StringId category = rank.rows.trace->strings.find(kRange);
  return by_start(rank.rows, [&](RowIndex r) { return rank.rows.category(r) == category; });
}

Result<std::vector<CounterRow>> counter_rows(const JobRows& job,
                                             const std::vector<std::vector<RangeArguments>>& arguments) {
  if (!has_symbol(job, kRange)) return Error{std::string("no ") + kRange + " in the trace"};
  std::vector<CounterRow> out;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const Rows& rows = job[i].rows;
    const Result<CallGraph> graph = CallGraph::make(job[i]);
    if (!graph) return graph.error();
    const std::vector<RowIndex> ranges = counted_ranges(job[i]);
    const std::vector<RowIndex> launches = by_start(rows, [&](RowIndex r) {
      return rows.category_text(r).starts_with("cuda_runtime") && rows.name_text(r).starts_with("cudaLaunchKernel");
    });
    // Ranges have no correlation: only as many of them as launches, in the same order, can be told to belong together.
    if (ranges.size() != launches.size()) continue;
    RangeArguments missing;
    for (const RangeArguments& of_range : arguments[i]) {
      // HTA's mark for a counter that a range does not have.
      for (const auto& [name, value] : of_range) missing.emplace(name, "-1");
    }
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      CounterRow row{.rank = job[i].number,
                     .range = ranges[k],
                     .launch = launches[k],
                     .kernel = std::string(rows.name_text(ranges[k])),
                     .counters = arguments[i][k]};
      row.op_stack = operators_around(rows, *graph, launches[k]);
      row.counters.insert(missing.begin(), missing.end());
      out.push_back(std::move(row));
    }
  }
  return out;
}

report::Sheet counters_sheet(const std::vector<CounterRow>& rows) {
  report::Sheet sheet("counters");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"})
      .add({.name = "kernel", .title = "kernel"})
      .add({.name = "op_stack", .title = "operators"})
      .add({.name = "counter", .title = "counter"})
      .add({.name = "value", .title = "value"});
  for (const CounterRow& row : rows) {
    for (const auto& [name, value] : row.counters)
      sheet.add_row({row.rank, row.kernel, joined(row.op_stack), name, value});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta

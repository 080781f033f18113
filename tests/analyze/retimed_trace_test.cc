#include "analyze/whatif/retimed_trace.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "analyze/whatif/recording_cost.h"
#include "support/kineto_lines.h"
#include "trace/select_events.h"

namespace orrery::analyze {
namespace {

causal::CausalGraph whole_graph(const trace::Trace& trace) {
  Diagnostics diagnostics;
  Result<causal::CausalGraph> graph = causal::make_causal_graph(trace, trace.ranks.front(), {"", {}, {}}, diagnostics);
  REQUIRE(graph);
  return std::move(*graph);
}

/// Wrappers around a view, launches among them, kernels that the host does not wait for, and one that it does.
std::string host_and_device() {
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    const int at = 60 * i;
    lines += fmt::format("1 {} 6 cpu_op aten::t\n1 {} 3 cpu_op aten::as_strided\n", at, at + 2);
    lines += fmt::format("1 {} 30 cpu_op aten::mm\n1 {} 2 cpu_op aten::empty\n", at + 8, at + 10);
    lines += fmt::format("1 {} 4 cuda_runtime cudaLaunchKernel correlation={}\n", at + 20, i + 1);
    lines += fmt::format("gpu0/7 {} 11 kernel gemm correlation={}\n", at + 30, i + 1);
  }
  lines += "1 1800 50 cuda_runtime cudaDeviceSynchronize correlation=99\n";
  return lines;
}

TEST_CASE("a trace whose moments stay stays as it is") {
  const orrery::testing::SmallTrace small(host_and_device());
  trace::Trace again = trace::copy_of(small.trace());
  const causal::CausalGraph graph = whole_graph(again);
  const std::vector<TimePs> recorded(graph.time.begin(), graph.time.end());
  retime(again.ranks, graph, recorded);
  const trace::RankTrace &was = small.trace().ranks.front(), &is = again.ranks.front();
  for (trace::EventIndex e = 0; e < was.event_count(); ++e) {
    CHECK(is.start[e] == was.start[e]);
    CHECK(is.duration[e] == was.duration[e]);
  }
}

TEST_CASE("a retimed trace is as long as the graph, in the same order, with the same device work") {
  const orrery::testing::SmallTrace small(host_and_device());
  trace::Trace again = trace::copy_of(small.trace());
  causal::CausalGraph graph = whole_graph(again);
  const RecordingCost cost(graph);
  REQUIRE(cost.has_ruler());
  const TimePs expected = cost.length(cost.fitted());
  REQUIRE(expected < graph.span);
  const std::vector<TimePs> recorded(graph.time.begin(), graph.time.end());
  const auto savings = cost.savings(cost.fitted());
  retime(again.ranks, without_recorder(whole_graph(again), savings), recorded);

  const trace::RankTrace &was = small.trace().ranks.front(), &is = again.ranks.front();
  std::map<trace::LaneIndex, std::vector<trace::EventIndex>> by_lane;
  for (trace::EventIndex e = 0; e < was.event_count(); ++e) {
    by_lane[was.lane[e]].push_back(e);
    CHECK(is.duration[e] >= 0);
    CHECK(is.duration[e] <= was.duration[e]);
    if (trace::is_device_work(was.activity(e))) CHECK(is.duration[e] == was.duration[e]);
  }
  for (const auto& [lane, events] : by_lane) {
    for (const trace::EventIndex a : events) {
      for (const trace::EventIndex b : events) {
        if (was.start[a] <= was.start[b]) CHECK(is.start[a] <= is.start[b]);
        if (was.end(a) <= was.start[b]) CHECK(is.end(a) <= is.start[b]);
      }
    }
  }
  CHECK(whole_graph(again).span == expected);
}

TEST_CASE("what begins at one moment and what lies outside the graph move alike") {
  // An arrow and a thread without work of its own follow the main thread.
  const orrery::testing::SmallTrace small(host_and_device() + "9 900 0 other mark\n");
  trace::Trace again = trace::copy_of(small.trace());
  causal::CausalGraph graph = whole_graph(again);
  const RecordingCost cost(graph);
  const std::vector<TimePs> recorded(graph.time.begin(), graph.time.end());
  const auto savings = cost.savings(cost.fitted());
  retime(again.ranks, without_recorder(whole_graph(again), savings), recorded);
  const trace::RankTrace &was = small.trace().ranks.front(), &is = again.ranks.front();
  const auto mark = static_cast<trace::EventIndex>(was.event_count() - 1);
  REQUIRE(small.trace().name(was, mark) == "mark");
  for (trace::EventIndex e = 0; e < mark; ++e) {
    if (was.start[e] != was.start[mark] || trace::is_device_work(was.activity(e))) continue;
    CHECK(is.start[e] == is.start[mark]);
  }
}

}  // namespace
}  // namespace orrery::analyze

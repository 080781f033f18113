#include "page/data/graph_columns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "graph/builder.h"
#include "page/cases/random_step.h"
#include "support/kineto_lines.h"

namespace orrery::page {
namespace {

PagePlaces nowhere() {
  PagePlaces places;
  places.name = [](std::string_view) { return std::nullopt; };
  places.event = [](std::uint32_t) { return std::nullopt; };
  places.lane = [](std::uint32_t, std::uint32_t) { return std::nullopt; };
  return places;
}

PageGraph columns_of(const causal::CausalGraph& job) {
  return graph_columns(job, analyze::RecordingCost(job), nowhere());
}

const EncodedColumn& column(const PageGraph& graph, std::string_view name) {
  return *std::find_if(graph.columns.begin(), graph.columns.end(),
                       [&](const EncodedColumn& one) { return one.name == name; });
}

/// One thread that calls, and a kernel that it launches.
causal::CausalGraph launching_step(TimePs kernel) {
  causal::RankGraph step;
  graph::GraphBuilder builder;
  builder.add_nodes(4);
  using causal::EdgeKind;
  const auto add = [&](graph::NodeId from, graph::NodeId to, EdgeKind kind, TimePs weight, std::uint32_t tag) {
    builder.add_edge(from, to, static_cast<std::uint8_t>(kind), weight, tag);
  };
  add(0, 1, EdgeKind::cpu_runtime, 3000, 0);
  add(0, 2, EdgeKind::launch_delay, 5000, 1);
  add(2, 3, EdgeKind::kernel, kernel, 1);
  step.graph = std::move(*std::move(builder).build());
  step.end = 3;
  step.owners.push_back({step.strings.intern("cudaLaunchKernel"), 0, 0, 0, 0, 0, -1, -1});
  step.owners.push_back({step.strings.intern("gemm"), 1, 1, 0, 5000, 0, 0, 7});
  for (const TimePs time : {TimePs{0}, TimePs{3000}, TimePs{5000}, 5000 + kernel}) step.time.push_back(time);
  for (const std::uint32_t lane : {0U, 0U, 1U, 1U}) step.node_lane.push_back(lane);
  step.lanes.resize(2);
  step.window.label = "ProfilerStep#1";
  step.window.end = 5000 + kernel;
  return causal::causal_graph_of(std::move(step));
}

TEST_CASE("a graph of whole nanoseconds is written in them") {
  const PageGraph graph = columns_of(launching_step(7000));
  CHECK(graph.why.empty());
  CHECK(graph.weight_unit_ps == 1000);
  CHECK(column(graph, "gr.weight").bytes == std::string("\x03\x05\x07"));
  CHECK(column(graph, "gr.indegree").bytes == std::string("\0\1\1\1", 4));
  CHECK(column(graph, "gr.back").bytes == std::string("\1\2\1"));
  CHECK(columns_of(launching_step(7001)).weight_unit_ps == 1);
}

TEST_CASE("owners are named when they are new, and work finds the call that launched it") {
  const PageGraph graph = columns_of(launching_step(7000));
  CHECK(column(graph, "gr.owner").bytes == std::string("\1\1\2"));
  CHECK(column(graph, "ow.launch").bytes == std::string("\0\2", 2));  // one owner back, zigzag
  CHECK(column(graph, "gr.facts").bytes.find("\"more_names\":[\"cudaLaunchKernel\",\"gemm\"]") != std::string::npos);
}

TEST_CASE("what recording cost is written as the recorder's own time, of the edges in which it is called") {
  // Twenty views in wrappers of several names: 2 us before each begins, 1 us in it, 1 us behind it.
  const char* const wrappers[] = {"aten::t", "aten::transpose", "aten::permute", "aten::expand"};
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += fmt::format("1 {} 4 cpu_op {}\n1 {} 1 cpu_op aten::as_strided\n", 6 * i, wrappers[i % 4], 6 * i + 2);
  const orrery::testing::SmallTrace small(lines);
  Diagnostics diagnostics;
  const auto step = causal::make_causal_graph(small.trace(), small.rank(), {"", {}, {}}, diagnostics);
  REQUIRE(step);
  const analyze::RecordingCost cost(*step);
  REQUIRE(cost.has_ruler());
  const PageGraph graph = graph_columns(*step, cost, nowhere());
  const EncodedColumn& recorded = column(graph, "gr.recorded");
  REQUIRE(recorded.count == step->graph.edge_count());
  const auto value_at = [&](std::size_t slot) {
    TimePs value = 0;
    for (std::size_t plane = recorded.bytes.size() / recorded.count; plane-- > 0;)
      value = value << 8 | static_cast<std::uint8_t>(recorded.bytes[plane * recorded.count + slot]);
    return value;
  };
  const std::string& facts = column(graph, "gr.facts").bytes;
  CHECK(facts.find("\"recording_unit_ps\":1000") != std::string::npos);
  CHECK(facts.find(fmt::format("\"slowdown_permille\":{}", cost.slowdown_permille())) != std::string::npos);
  std::size_t changed = 0;
  for (const auto& [slot, time] : cost.savings(cost.fitted())) {
    REQUIRE(value_at(slot) >= 2);
    const TimePs left = value_at(slot) == 2 ? 0 : step->graph.weight(slot) - 1000 * (value_at(slot) - 3);
    CHECK(step->graph.weight(slot) - time == left * 1000 / cost.slowdown_permille());
    changed += time > 0 ? 1 : 0;
  }
  CHECK(changed >= 40);
}

TEST_CASE("without a ruler every edge stays as it is") {
  const std::string bytes = column(columns_of(launching_step(7000)), "gr.recorded").bytes;
  CHECK(bytes == std::string("\1\0\0", 3));  // the call; neither its delay nor the kernel
}

TEST_CASE("what a page cannot solve is absent, with a reason") {
  causal::CausalGraph step = launching_step(TimePs{1} << 53);
  const PageGraph graph = columns_of(step);
  CHECK(graph.columns.empty());
  CHECK(graph.why.find("two and a half hours") != std::string::npos);
  step = launching_step(7000);
  step.owners[1].stream = std::int64_t{1} << 60;
  CHECK(columns_of(step).why.find("streams") != std::string::npos);
}

TEST_CASE("the same graph gives the same bytes") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PageGraph a = columns_of(testing::random_job(seed)), b = columns_of(testing::random_job(seed));
    REQUIRE(a.columns.size() == b.columns.size());
    for (std::size_t i = 0; i < a.columns.size(); ++i) CHECK(a.columns[i].bytes == b.columns[i].bytes);
  }
}

}  // namespace
}  // namespace orrery::page

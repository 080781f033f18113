#include "page/data/graph_columns.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "graph/builder.h"
#include "page/cases/random_step.h"

namespace orrery::page {
namespace {

PagePlaces nowhere() {
  PagePlaces places;
  places.name = [](std::string_view) { return std::nullopt; };
  places.event = [](std::uint32_t) { return std::nullopt; };
  places.lane = [](std::uint32_t, std::uint32_t) { return std::nullopt; };
  return places;
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
  const PageGraph graph = graph_columns(launching_step(7000), nowhere());
  CHECK(graph.why.empty());
  CHECK(graph.weight_unit_ps == 1000);
  CHECK(column(graph, "gr.weight").bytes == std::string("\x03\x05\x07"));
  CHECK(column(graph, "gr.indegree").bytes == std::string("\0\1\1\1", 4));
  CHECK(column(graph, "gr.back").bytes == std::string("\1\2\1"));
  CHECK(graph_columns(launching_step(7001), nowhere()).weight_unit_ps == 1);
}

TEST_CASE("owners are named when they are new, and work finds the call that launched it") {
  const PageGraph graph = graph_columns(launching_step(7000), nowhere());
  CHECK(column(graph, "gr.owner").bytes == std::string("\1\1\2"));
  CHECK(column(graph, "ow.launch").bytes == std::string("\0\2", 2));  // one owner back, zigzag
  CHECK(column(graph, "gr.facts").bytes.find("\"more_names\":[\"cudaLaunchKernel\",\"gemm\"]") != std::string::npos);
}

TEST_CASE("what a page cannot solve is absent, with a reason") {
  causal::CausalGraph step = launching_step(TimePs{1} << 53);
  const PageGraph graph = graph_columns(step, nowhere());
  CHECK(graph.columns.empty());
  CHECK(graph.why.find("two and a half hours") != std::string::npos);
  step = launching_step(7000);
  step.owners[1].stream = std::int64_t{1} << 60;
  CHECK(graph_columns(step, nowhere()).why.find("streams") != std::string::npos);
}

TEST_CASE("the same graph gives the same bytes") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PageGraph a = graph_columns(testing::random_job(seed), nowhere()),
                    b = graph_columns(testing::random_job(seed), nowhere());
    REQUIRE(a.columns.size() == b.columns.size());
    for (std::size_t i = 0; i < a.columns.size(); ++i) CHECK(a.columns[i].bytes == b.columns[i].bytes);
  }
}

}  // namespace
}  // namespace orrery::page

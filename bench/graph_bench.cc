// The graph library at 10 million nodes and 30 million edges, on one core. Ids are in the order of time and sources are
// near, as in a trace: 64 lanes, each node follows the one before on its lane and waits for two more among the 4,096
// before it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/edits.h"
#include "graph/graph_file.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "graph/solve_many.h"

namespace {

using namespace orrery;
using namespace orrery::graph;

/// ORRERY_BENCH_NODES makes a smaller run.
const NodeId kNodes = [] {
  const char* text = std::getenv("ORRERY_BENCH_NODES");
  return text == nullptr ? NodeId{10'000'000} : static_cast<NodeId>(std::strtoul(text, nullptr, 10));
}();
constexpr NodeId kLanes = 64;
constexpr NodeId kReach = 4'096;

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(((*this)() >> 32) * limit >> 32); }

 private:
  std::uint64_t state_;
};

enum Insertion : int {
  kByTarget,  // all edges of a node together
  kByKind,    // first the order on the lanes, then the waits: as a linker finds them
  kShuffled,  // by kind, and with ids in no order
};

std::vector<NodeId> ids_for(Insertion insertion) {
  std::vector<NodeId> ids(kNodes);
  for (NodeId i = 0; i < kNodes; ++i) ids[i] = i;
  Random random(7);
  for (NodeId i = kNodes; insertion == kShuffled && i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
  return ids;
}

GraphBuilder fill(Insertion insertion) {
  const std::vector<NodeId> ids = ids_for(insertion);
  GraphBuilder builder;
  builder.reserve(kNodes, std::size_t{kNodes} * 3);
  Random random(1);
  for (NodeId i = 0; i < kNodes; ++i) builder.add_node(random.below(1 << 20));
  const auto weight = [&] { return static_cast<TimePs>(random.below(1 << 18)); };
  const auto follow = [&](NodeId i) {
    if (i >= kLanes) builder.add_edge(ids[i - kLanes], ids[i], 1, weight());
  };
  const auto wait = [&](NodeId i) {
    for (int k = 0; k < 2 && i > 0; ++k)
      builder.add_edge(ids[i - 1 - random.below(std::min(i, kReach))], ids[i], 2, weight());
  };
  if (insertion == kByTarget) {
    for (NodeId i = 0; i < kNodes; ++i) follow(i), wait(i);
  } else {
    for (NodeId i = 0; i < kNodes; ++i) follow(i);
    for (NodeId i = 0; i < kNodes; ++i) wait(i);
  }
  return builder;
}

const Graph& graph_of(Insertion insertion) {
  static std::map<Insertion, Graph> graphs;
  auto at = graphs.find(insertion);
  if (at == graphs.end()) at = graphs.emplace(insertion, *fill(insertion).build()).first;
  return at->second;
}

void report(benchmark::State& state, const Graph& graph) {
  state.counters["nodes_per_s"] =
      benchmark::Counter(static_cast<double>(graph.node_count()), benchmark::Counter::kIsIterationInvariantRate);
}

Insertion insertion_of(const benchmark::State& state) { return static_cast<Insertion>(state.range(0)); }

void build(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    GraphBuilder builder = fill(insertion_of(state));
    state.ResumeTiming();
    const auto graph = std::move(builder).build();
    state.PauseTiming();
    const GraphColumns& columns = graph->columns();
    const std::size_t edge_bytes = columns.sources.memory_bytes() + columns.weights.memory_bytes() +
                                   columns.types.memory_bytes() + columns.edge_ids.memory_bytes();
    state.counters["bytes_per_edge"] = static_cast<double>(edge_bytes) / graph->edge_count();
    state.counters["bytes_per_node"] = static_cast<double>(graph->memory_bytes() - edge_bytes) / graph->node_count();
    state.ResumeTiming();
  }
}
BENCHMARK(build)
    ->ArgName("insertion")
    ->Arg(kByTarget)
    ->Arg(kByKind)
    ->Arg(kShuffled)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

/// The rows of outgoing edges, which a graph makes when it is first asked for one.
void outgoing_rows(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const auto graph = fill(insertion_of(state)).build();
    state.ResumeTiming();
    benchmark::DoNotOptimize(graph->outgoing_at(0).size());
  }
}
BENCHMARK(outgoing_rows)
    ->ArgName("insertion")
    ->Arg(kByTarget)
    ->Arg(kShuffled)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

/// add_node and add_edge, with the numbers they are given.
void fill_builder(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(fill(insertion_of(state)).edge_count());
}
BENCHMARK(fill_builder)->ArgName("insertion")->Arg(kByTarget)->Unit(benchmark::kMillisecond)->Iterations(2);

void first_solve(benchmark::State& state) {
  const Graph& graph = graph_of(insertion_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(solve(graph).length());
  report(state, graph);
}
BENCHMARK(first_solve)
    ->ArgName("insertion")
    ->Arg(kByTarget)
    ->Arg(kByKind)
    ->Arg(kShuffled)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

Edits random_edits(const Graph& graph, std::uint32_t count, std::uint64_t seed) {
  Edits edits(graph);
  Random random(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Slot slot = random.below(graph.edge_count());
    edits.set_weight(slot, graph.weight(slot) / 2);
  }
  return edits;
}

/// Making the edits, in no order, is part of it.
void resolve_one_percent(benchmark::State& state) {
  const Graph& graph = graph_of(kByTarget);
  for (auto _ : state) benchmark::DoNotOptimize(solve(random_edits(graph, graph.edge_count() / 100, 3)).length());
  report(state, graph);
}
BENCHMARK(resolve_one_percent)->Unit(benchmark::kMillisecond)->Iterations(5);

/// Every edge of one type, a third of all: the overlay becomes a full copy of the weights.
void resolve_one_type(benchmark::State& state) {
  const Graph& graph = graph_of(kByTarget);
  for (auto _ : state) {
    Edits edits(graph);
    for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
      if (graph.type(slot) == 1) edits.set_weight(slot, graph.weight(slot) / 2);
    }
    benchmark::DoNotOptimize(solve(edits).length());
  }
}
BENCHMARK(resolve_one_type)->Unit(benchmark::kMillisecond)->Iterations(3);

void slacks(benchmark::State& state) {
  const Solution solution = solve(graph_of(kByTarget));
  for (auto _ : state) {
    const Slack slack(solution);
    benchmark::DoNotOptimize(slack.node(0));
  }
}
BENCHMARK(slacks)->Unit(benchmark::kMillisecond)->Iterations(3);

void eight_scenarios(benchmark::State& state) {
  const Graph& graph = graph_of(kByTarget);
  std::vector<Edits> scenarios;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    scenarios.push_back(random_edits(graph, static_cast<std::uint32_t>(state.range(0)), seed));
  for (auto _ : state) benchmark::DoNotOptimize(solve_many(scenarios).back().length());
}
BENCHMARK(eight_scenarios)->ArgName("edits")->Arg(1'000)->Arg(300'000)->Unit(benchmark::kMillisecond)->Iterations(3);

std::string scratch_file() { return (std::filesystem::temp_directory_path() / "orrery_graph_bench.graph").string(); }

Status save_graph(const Graph& graph) {
  SectionWriter writer("graph", 1);
  add_graph_sections(writer, graph);
  return writer.write(scratch_file());
}

void save(benchmark::State& state) {
  const Graph& graph = graph_of(kByTarget);
  for (auto _ : state) benchmark::DoNotOptimize(save_graph(graph).ok());
}
BENCHMARK(save)->Unit(benchmark::kMillisecond)->Iterations(2);

void restore(benchmark::State& state) {
  if (!save_graph(graph_of(kByTarget)).ok()) state.SkipWithError("cannot write the file");
  for (auto _ : state) {
    const auto file = SectionFile::open(scratch_file(), "graph", 1);
    benchmark::DoNotOptimize(file.ok() && read_graph_sections(*file).ok());
  }
  std::filesystem::remove(scratch_file());
}
BENCHMARK(restore)->Unit(benchmark::kMillisecond)->Iterations(2);

}  // namespace

BENCHMARK_MAIN();

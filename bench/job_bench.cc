// Jobs of many ranks: reducing the graph of one large rank, and solving a job of as many reduced graphs as a large
// cluster gives.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "causal/causal_graph.h"
#include "causal/rank_graph.h"
#include "causal/reduce/reduce_rank.h"
#include "formats/kineto/reader.h"
#include "graph/builder.h"
#include "graph/longest_path.h"
#include "graph/reduce.h"

namespace {

using namespace orrery;

/// The whole trace of ORRERY_BENCH_PLAIN, with its work named.
const causal::RankGraph& large_rank() {
  static const causal::RankGraph step = [] {
    const char* const path = std::getenv("ORRERY_BENCH_PLAIN");
    if (path == nullptr) std::fprintf(stderr, "ORRERY_BENCH_PLAIN is not set\n"), std::exit(2);
    Diagnostics diagnostics;
    Result<trace::Trace> job = kineto::read_job({path}, diagnostics);
    if (!job) std::fprintf(stderr, "%s\n", job.error().to_string().c_str()), std::exit(2);
    Result<causal::RankGraph> made = causal::make_rank_graph(*job, job->ranks.front(), {"", {}, {}}, diagnostics);
    if (!made) std::fprintf(stderr, "%s\n", made.error().to_string().c_str()), std::exit(2);
    made->class_name = causal::name_pieces(*made, false);
    return std::move(*made);
  }();
  return step;
}

/// Every n-th kernel is taken for a communication.
std::vector<graph::Slot> every_kernel(const causal::RankGraph& step, std::size_t n) {
  std::vector<graph::Slot> slots;
  std::size_t kernels = 0;
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    if (step.kind(slot) == causal::EdgeKind::kernel && ++kernels % n == 0) slots.push_back(slot);
  }
  return slots;
}

void reduce_rank(benchmark::State& state) {
  const causal::RankGraph& step = large_rank();
  const causal::ReductionRequest request{every_kernel(step, 7), {}};
  for (auto _ : state) {
    const causal::RankGraph skeleton = causal::reduce_rank(step, request);
    state.counters["edges_per_communication"] =
        static_cast<double>(skeleton.graph.edge_count()) / static_cast<double>(request.communications.size());
    state.counters["bytes_per_communication"] =
        static_cast<double>(skeleton.graph.memory_bytes() + skeleton.pieces.memory_bytes() +
                            skeleton.time.memory_bytes()) /
        static_cast<double>(request.communications.size());
  }
  state.counters["nodes"] = step.graph.node_count();
  state.counters["edges"] = step.graph.edge_count();
}
BENCHMARK(reduce_rank)->Unit(benchmark::kMillisecond)->Iterations(3);

/// Per rank and collective four moments (the host, arrival, ready, end) and seven edges, as an all-reduce between two
/// stretches of work leaves them.
graph::Graph made_job(graph::NodeId ranks, graph::NodeId collectives) {
  graph::GraphBuilder builder;
  builder.reserve(std::size_t{ranks} * collectives * 4, std::size_t{ranks} * collectives * 7);
  std::uint64_t random = 1;
  const auto time = [&] { return static_cast<TimePs>(next_random(random) >> 44); };
  const graph::NodeId round = 4 * ranks + 1;  // host and arrival of each rank, the hub, ready and end of each rank
  builder.add_nodes(std::size_t{round} * collectives);
  for (graph::NodeId k = 0; k < collectives; ++k) {
    const graph::NodeId first = k * round, before = first - round, hub = first + 2 * ranks;
    for (graph::NodeId r = 0; r < ranks; ++r) {
      const graph::NodeId host = first + 2 * r;
      if (k > 0) builder.add_edge(before + 2 * r, host, 0, time());
      if (k > 0) builder.add_edge(before + 2 * ranks + 2 + 2 * r, host, 0, time() / 2);
      builder.add_edge(host, host + 1, 0, time());
    }
    for (graph::NodeId r = 0; r < ranks; ++r) builder.add_edge(first + 2 * r + 1, hub, 1, 0);
    for (graph::NodeId r = 0; r < ranks; ++r) {
      const graph::NodeId ready = hub + 1 + 2 * r;
      builder.add_edge(first + 2 * r + 1, ready, 1, 0);
      builder.add_edge(hub, ready, 1, 0);
      builder.add_edge(ready, ready + 1, 2, time());
    }
  }
  return *std::move(builder).build();
}

void solve_skeletons(benchmark::State& state) {
  const auto ranks = static_cast<graph::NodeId>(state.range(0)),
             collectives = static_cast<graph::NodeId>(state.range(1));
  static graph::Graph job;
  if (job.node_count() == 0) job = made_job(ranks, collectives);
  for (auto _ : state) benchmark::DoNotOptimize(graph::solve(job).length());
  state.counters["edges"] = job.edge_count();
}
BENCHMARK(solve_skeletons)
    ->ArgNames({"ranks", "collectives"})
    ->Args({1000, 10'000})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace

BENCHMARK_MAIN();

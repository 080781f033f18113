// Who made whom wait in a job of many ranks and collectives, made, not read: the size that reduced graphs of 1,000
// ranks with 10,000 collectives each have. Every rank computes, reduces with all others beside more work, and goes on
// when it has both; one rank is slower than the others.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "analyze/blame/blame.h"
#include "analyze/blame/ideal_job.h"
#include "analyze/blame/job_waits.h"
#include "analyze/blame/opportunities.h"
#include "base/random.h"
#include "causal/causal_graph.h"
#include "graph/builder.h"
#include "graph/longest_path.h"

namespace {

using namespace orrery;
using causal::CausalGraph;
using causal::EdgeKind;

/// ORRERY_BENCH_RANKS and ORRERY_BENCH_COLLECTIVES make another size.
std::uint32_t size_from(const char* variable, std::uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}
const std::uint32_t kRanks = size_from("ORRERY_BENCH_RANKS", 200);
const std::uint32_t kCollectives = size_from("ORRERY_BENCH_COLLECTIVES", 2'000);
constexpr std::uint32_t kCollectivesPerStep = 100;

/// Per participation: three moments of the rank and seven edges.
class Maker {
 public:
  /// `classes`: how many names the work before collectives has, in turn.
  explicit Maker(std::uint32_t classes) : parts_(std::size_t{kRanks} * kCollectives), classes_(classes) {}

  CausalGraph make() {
    const graph::NodeId per_rank = 1 + 3 * kCollectives;
    builder_.reserve(std::size_t{kRanks} * per_rank + parts_ + kCollectives + 2, 8 * parts_ + 2 * std::size_t{kRanks});
    builder_.add_nodes(std::size_t{kRanks} * per_rank);
    job_.first_ready = builder_.add_nodes(parts_);
    job_.first_hub = builder_.add_nodes(kCollectives);
    job_.begin = builder_.add_node();
    job_.end = builder_.add_node();
    for (std::uint32_t r = 0; r < kRanks; ++r) add_rank(r, r * per_rank);
    for (std::uint32_t r = 0; r < kRanks; ++r) add_edges(r);
    for (const causal::JobRank& rank : job_.ranks) edge(rank.end, job_.end, EdgeKind::order, 0, graph::kNoTag);
    job_.graph = std::move(*std::move(builder_).build());
    causal::find_transfers(job_);
    measure();
    return std::move(job_);
  }

 private:
  TimePs below(std::uint64_t limit) { return static_cast<TimePs>(next_random(random_) % limit); }
  void edge(graph::NodeId from, graph::NodeId to, EdgeKind kind, TimePs weight, std::uint32_t owner) {
    builder_.add_edge(from, to, static_cast<std::uint8_t>(kind), weight, owner);
  }
  std::uint32_t owner(const std::string& name) {
    const StringId id = job_.strings.intern(name);
    job_.owners.push_back({id, 0, 0, 0, 0, 0, -1, -1});
    job_.class_name.push_back(id);
    return static_cast<std::uint32_t>(job_.owners.size() - 1);
  }

  void add_rank(std::uint32_t r, graph::NodeId first) {
    causal::JobRank rank;
    rank.rank = r;
    rank.begin = rank.first_node = first;
    rank.end = first + 3 * kCollectives;
    job_.ranks.push_back(std::move(rank));
  }

  void add_edges(std::uint32_t r) {
    const causal::JobRank& rank = job_.ranks[r];
    std::vector<std::uint32_t> compute;
    for (std::uint32_t k = 0; k < classes_; ++k)
      compute.push_back(owner(k == 0 ? "compute" : "compute " + std::to_string(k)));
    const std::uint32_t beside = owner("beside"), wait = owner("wait"), reduce = owner("all_reduce");
    edge(job_.begin, rank.begin, EdgeKind::before, below(1000) * kPsPerNs, graph::kNoTag);
    graph::NodeId now = rank.begin;
    for (std::uint32_t c = 0; c < kCollectives; ++c) {
      const std::uint32_t p = c * kRanks + r;
      const graph::NodeId arrival = rank.first_node + 1 + 3 * c, end = arrival + 1, next = arrival + 2;
      const TimePs slower = r == kRanks / 3 ? 20'000 : 0;
      edge(now, arrival, EdgeKind::kernel, (100'000 + below(10'000) + slower) * kPsPerNs, compute[c % classes_]);
      edge(arrival, job_.first_hub + c, EdgeKind::arrival, 0, graph::kNoTag);
      edge(arrival, job_.first_ready + p, EdgeKind::arrival, 0, graph::kNoTag);
      edge(job_.first_hub + c, job_.first_ready + p, EdgeKind::arrival, 0, graph::kNoTag);
      edge(job_.first_ready + p, end, EdgeKind::communication, (20'000 + below(2'000)) * kPsPerNs, reduce);
      edge(arrival, next, EdgeKind::kernel, (15'000 + below(5'000)) * kPsPerNs, beside);
      edge(end, next, EdgeKind::stream_wait, 1'200 * kPsPerNs, wait);
      now = next;
    }
  }

  void measure() {
    const graph::Solution solved = graph::solve(job_.graph, job_.end);
    job_.span = solved.length();
    job_.node_rank.assign(job_.graph.node_count(), causal::kNoRank);
    job_.node_lane.assign(job_.graph.node_count(), causal::kNoWork);
    job_.time.resize_uninitialized(job_.graph.node_count());
    for (graph::NodeId node = 0; node < job_.graph.node_count(); ++node) job_.time[node] = solved.finish(node);
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      causal::JobRank& rank = job_.ranks[r];
      for (graph::NodeId node = rank.first_node; node <= rank.end; ++node) job_.node_rank[node] = r;
      for (std::uint32_t c = 0; c < kCollectives; c += kCollectivesPerStep)
        rank.step_begin.push_back(job_.time[rank.first_node + 3 * c]);
    }
    for (std::uint32_t p = 0; p < parts_; ++p) job_.node_rank[job_.ready(p)] = p % kRanks;
    for (std::size_t k = 0; k < job_.ranks.front().step_begin.size(); ++k)
      job_.steps.push_back("ProfilerStep#" + std::to_string(k));
  }

 public:
  void add_operations() {
    const StringId what = job_.strings.intern("all_reduce"), group = job_.strings.intern("world");
    job_.parts.resize(parts_);
    for (std::uint32_t c = 0; c < kCollectives; ++c) {
      job_.operations.push_back({.what = what,
                                 .group = group,
                                 .name = what,
                                 .bytes = 1 << 20,
                                 .first = c * kRanks,
                                 .count = kRanks,
                                 .members = kRanks});
      for (std::uint32_t r = 0; r < kRanks; ++r) {
        const graph::NodeId arrival = r * (1 + 3 * kCollectives) + 1 + 3 * c;
        job_.parts[c * kRanks + r] = {
            .rank = r, .operation = c, .arrival = arrival, .progress = arrival, .end = arrival + 1};
      }
    }
  }

 private:
  std::size_t parts_;
  std::uint32_t classes_;
  CausalGraph job_;
  graph::GraphBuilder builder_;
  std::uint64_t random_ = 7;
};

CausalGraph make_job(std::uint32_t classes) {
  Maker maker(classes);
  maker.add_operations();
  return maker.make();
}

const CausalGraph& made_job() {
  static const CausalGraph job = make_job(1);
  return job;
}

void BM_SolveJob(benchmark::State& state) {
  const CausalGraph& job = made_job();
  for (auto _ : state) benchmark::DoNotOptimize(graph::solve(job.graph, job.end).length());
  state.counters["edges"] = static_cast<double>(job.graph.edge_count());
}

void BM_WaitsAndRootCauses(benchmark::State& state) {
  const CausalGraph& job = made_job();
  std::size_t waits = 0;
  for (auto _ : state) {
    const analyze::JobWaits found(job);
    waits = 0;
    found.visit(0, static_cast<std::uint32_t>(job.ranks.size()),
                [&](const analyze::Wait&, std::span<const analyze::Cause>) { ++waits; });
  }
  state.counters["waits"] = static_cast<double>(waits);
}

void BM_Blame(benchmark::State& state) {
  const CausalGraph& job = made_job();
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(analyze::find_blame(job, diagnostics).exposed);
  }
}

/// Forty opportunities on the path.
void BM_Top(benchmark::State& state) {
  const CausalGraph job = make_job(38);
  std::size_t opportunities = 0;
  for (auto _ : state) opportunities = analyze::find_opportunities(job).all.size();
  state.counters["levers"] = static_cast<double>(opportunities);
}

BENCHMARK(BM_SolveJob)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_WaitsAndRootCauses)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_Blame)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_Top)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();

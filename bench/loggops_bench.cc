// LogGOPS: events per second on patterns of MPI collectives, from a workload in memory to its schedule.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>

#include "generate/mpi_patterns.h"
#include "simulate/loggops/loggops.h"

namespace {

using namespace orrery;

void run_pattern(benchmark::State& state, std::string_view name, std::int64_t bytes) {
  const auto workload =
      generate::mpi_pattern(name, {.ranks = static_cast<std::uint32_t>(state.range(0)), .bytes = bytes});
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto simulation = simulate::loggops::simulate(*workload, {});
    events = simulation->events;
    benchmark::DoNotOptimize(simulation->schedule.end_ps.data());
  }
  state.counters["events"] = static_cast<double>(events);
  state.counters["events_per_second"] = benchmark::Counter(
      static_cast<double>(events) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void loggops_dissemination(benchmark::State& state) { run_pattern(state, "dissemination", 1); }
BENCHMARK(loggops_dissemination)->Arg(1024)->Arg(16384)->Arg(65536)->Unit(benchmark::kMillisecond);

void loggops_broadcast(benchmark::State& state) { run_pattern(state, "binomialtreebcast", 1024); }
BENCHMARK(loggops_broadcast)->Arg(65536)->Unit(benchmark::kMillisecond);

/// Every rank has a receive posted for every other: a matcher that searches a list takes minutes.
void loggops_all_to_all(benchmark::State& state) { run_pattern(state, "linear_alltoall", 4096); }
BENCHMARK(loggops_all_to_all)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

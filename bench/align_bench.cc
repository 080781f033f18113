// How long it takes to put clocks together from collectives alone: drifting clocks whose nodes see the ends of
// collectives some tens of microseconds late. Generated, so that any number of nodes can be had.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "align/estimate.h"

namespace orrery::align {
namespace {

Sources generate(std::uint32_t nodes, std::uint32_t collectives, double between_ns) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> offset(-5e6, 5e6), drift(-30e-6, 30e-6), gap(0.5, 1.5);
  std::exponential_distribution<double> late(1 / 50e3);
  std::vector<double> offsets(nodes), drifts(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) offsets[i] = offset(random), drifts[i] = drift(random);
  Sources sources;
  sources.nodes = nodes;
  sources.events = collectives;
  sources.sightings.reserve(std::size_t{nodes} * collectives);
  double now = 0;
  for (std::uint32_t event = 0; event < collectives; ++event) {
    now += between_ns * gap(random);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const double seen = now + late(random);
      sources.sightings.push_back({node, event, seen + offsets[node] + drifts[node] * seen});
    }
  }
  return sources;
}

/// Nodes, collectives, ms from one collective to the next.
void estimate_from_collectives(benchmark::State& state) {
  const Sources sources =
      generate(static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)),
               1e6 * static_cast<double>(state.range(2)));
  EstimateOptions options;
  options.begin_ns = -1e9;
  options.end_ns = sources.sightings.back().reading_ns + 1e9;
  for (auto _ : state) benchmark::DoNotOptimize(estimate_clocks(sources, options));
  state.counters["sightings"] = static_cast<double>(sources.sightings.size());
}
const std::vector<std::string> kNames = {"nodes", "collectives", "every_ms"};
BENCHMARK(estimate_from_collectives)->ArgNames(kNames)->Args({8, 2'000, 10})->Unit(benchmark::kMillisecond);
BENCHMARK(estimate_from_collectives)
    ->ArgNames(kNames)
    ->Args({1'000, 10'000, 10})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(estimate_from_collectives)
    ->ArgNames(kNames)
    ->Args({1'000, 3'600, 1'000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);  // an hour

}  // namespace
}  // namespace orrery::align

BENCHMARK_MAIN();

// How long it takes to learn a motif from recorded runs, and to predict one with it.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "job/motif_manifest.h"
#include "motif/fit/fit_motif.h"
#include "motif/predict.h"

namespace {

using namespace orrery;

/// The shipped runs, each twice and a third of them thrice: 35 configurations. Run from the root of the repository, as `make bench` does.
const motif::fit::Observations& runs35() {
  static const motif::fit::Observations read = [] {
    Diagnostics diagnostics;
    auto result = job::read_motif_manifest("data/mpi/bfs/runs.csv", diagnostics);
    if (!result) std::abort();
    auto& runs = result->observations.classes.front().runs;
    const std::size_t shipped = runs.size();
    for (std::size_t i = 0; runs.size() < 35; ++i) {
      runs.push_back(runs[i % shipped]);
      runs.back().name += "again" + std::to_string(i);
      runs.back().run.nodes *= i < shipped ? 4 : 9;
    }
    return result->observations;
  }();
  return read;
}

/// Reading left out: 35 configurations, 62 call sites, 67 transitions.
void motif_fit_35_runs(benchmark::State& state) {
  for (auto _ : state) {
    auto outcome = motif::fit::fit_motif(runs35());
    if (!outcome) std::abort();
    benchmark::DoNotOptimize(outcome->motif);
  }
}
BENCHMARK(motif_fit_35_runs)->Unit(benchmark::kMillisecond)->UseRealTime();

void motif_predict(benchmark::State& state) {
  const auto outcome = motif::fit::fit_motif(runs35());
  for (auto _ : state) benchmark::DoNotOptimize(motif::predict(outcome->motif, {.nodes = 4096, .size = 30}));
}
BENCHMARK(motif_predict)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();

// How long it takes to learn a motif from recorded runs, and to predict one with it.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "job/shipped/bfs_motif.h"
#include "job/write/motif_manifest.h"
#include "machine/yaml/machine_yaml.h"
#include "motif/fit/fit_motif.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/pattern_source.h"
#include "motif/predict.h"
#include "simulate/run.h"
#include "simulate/summed_schedule.h"

namespace {

using namespace orrery;

/// The shipped runs, each twice and a third of them thrice: 35 configurations. Run from the root of the repository, as
/// `make bench` does.
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

/// The breadth-first searches of the study on 4,096 nodes of a torus, with as much work per node (2^18 vertices) as the
/// largest that it measured had: models of constant sizes and times, as those of 64 nodes and scale 24. One search, and
/// 64, of which levels come again.
void motif_run_bfs(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "orrery_bench_bfs";
  std::filesystem::create_directories(folder);
  std::ofstream exec(folder / "exec.model"), msg(folder / "msg.model");
  for (int site = 1; site <= 62; ++site) {
    for (int next = 1; next <= 62; ++next) exec << site << ' ' << next << " 1 CONSTANT 120\n";
    const bool in_ring = site >= 46 && site <= 48;  // the size of a call stands at the call before it
    msg << site << " 1 CONSTANT " << (in_ring ? 11000 + 4000 * (site - 46) : site == 45 ? 50000 : 8) << '\n';
  }
  exec.close(), msg.close();
  const auto machine = machine::read_machine("data/machines/hpc_torus.yaml");
  if (!machine) std::abort();
  for (auto _ : state) {
    auto pattern = motif::make_pattern("bfs",
                                       {{"sz", "30"},
                                        {"roots", std::to_string(state.range(0))},
                                        {"exec_model", (folder / "exec.model").string()},
                                        {"msg_model", (folder / "msg.model").string()}},
                                       4096, job::motif_catalog());
    if (!pattern) std::abort();
    const auto source = motif::pattern_source(std::move(*pattern));
    if (!source) std::abort();
    simulate::PhasedSchedule sums;
    Diagnostics ignored;
    const auto outcome =
        simulate::run(**source, *machine, simulate::Pricing{}, simulate::engine_options(*machine), ignored, &sums);
    if (!outcome) std::abort();
    state.counters["activities"] = static_cast<double>(sums.activities());
  }
}
BENCHMARK(motif_run_bfs)->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

void motif_predict(benchmark::State& state) {
  const auto outcome = motif::fit::fit_motif(runs35());
  for (auto _ : state) benchmark::DoNotOptimize(motif::predict(outcome->motif, {.nodes = 4096, .size = 30}));
}
BENCHMARK(motif_predict)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();

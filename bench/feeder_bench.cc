// Opening a Chakra execution trace and handing out all of its nodes, through the public library as a user's simulator
// would. ORRERY_BENCH_ET: the trace (scripts/bench.sh makes one if it can); without it a chain with side branches of
// 400,000 nodes is written.
#include <benchmark/benchmark.h>
#include <orrery/feeder.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "api/et_file.h"
#include "base/io/output_file.h"

namespace {

using namespace orrery::api;

constexpr OpenOptions kLenient{.lenient = true};  // Chakra's converter wrote it

std::string made_trace() {
  constexpr std::uint64_t kNodes = 400'000;
  std::string file = testing::et_header();
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    testing::EtNode node{.id = 3 * i, .name = "aten::some_operator"};
    if (i > 1) node.data.push_back(3 * (i - 1 - i % 2));
    if (i > 100) node.control.push_back(3 * (i - 100));
    testing::put_node(file, node);
  }
  const std::string path = (std::filesystem::temp_directory_path() / "orrery-feeder-bench.et").string();
  if (!orrery::write_whole_file(path, file)) std::abort();
  return path;
}

std::string trace_path() {
  static const std::string path = [] {
    const char* const given = std::getenv("ORRERY_BENCH_ET");
    return given != nullptr ? std::string(given) : made_trace();
  }();
  return path;
}

std::size_t drain(const Workload& workload, Dependencies dependencies) {
  Result<Feeder> feeder = Feeder::make(workload, 0, dependencies);
  std::size_t nodes = 0;
  for (; const std::optional<Node> node = feeder->next_ready(); ++nodes) {
    if (!feeder->complete(*node)) std::abort();
  }
  return nodes;
}

void feed_drain(benchmark::State& state) {
  const Result<Workload> workload = Workload::open(trace_path(), kLenient);
  if (!workload) return state.SkipWithError(workload.error().to_string().c_str());
  for (auto _ : state) benchmark::DoNotOptimize(drain(*workload, static_cast<Dependencies>(state.range(0))));
  state.counters["nodes"] = static_cast<double>(workload->node_count(0));
}
BENCHMARK(feed_drain)->ArgName("data_only")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void feed_open_and_drain(benchmark::State& state) {
  const std::string path = trace_path();
  for (auto _ : state) {
    const Result<Workload> workload = Workload::open(path, kLenient);
    if (!workload) return state.SkipWithError(workload.error().to_string().c_str());
    benchmark::DoNotOptimize(drain(*workload, Dependencies::data_and_control));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(std::filesystem::file_size(path)) * state.iterations());
}
BENCHMARK(feed_open_and_drain)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

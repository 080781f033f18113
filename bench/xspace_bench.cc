// How fast XSpace files are read, rewritten and restored: a recording (ORRERY_BENCH_XSPACE, else one of data/) repeated
// until it has 200 MB. Run from the root of the repository.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/rewriter.h"
#include "trace/trace.h"

namespace orrery {
namespace {

constexpr std::size_t kTargetBytes = 200u << 20;

/// XSpaces joined are an XSpace with the planes of all of them.
const std::string& large_file() {
  static const std::string path = [] {
    const char* given = std::getenv("ORRERY_BENCH_XSPACE");
    const std::string source = given != nullptr ? given : std::string("data/jax_cpu4/node0.xplane.pb.gz");
    const Result<std::string> once = read_whole_file(source, kTargetBytes);
    if (!once) std::abort();
    const std::string large = (std::filesystem::temp_directory_path() / "orrery_bench.xplane.pb").string();
    Result<OutputFile> file = OutputFile::create(large);
    if (!file) std::abort();
    for (std::size_t written = 0; written < kTargetBytes; written += once->size()) file->write(*once);
    if (!file->commit().ok()) std::abort();
    return large;
  }();
  return path;
}

trace::Clock drifting_clock() {
  std::vector<trace::ClockKnot> knots;
  for (TimePs t = -10; t < 120; ++t)
    knots.push_back({t * kPsPerSecond / 2, t * (kPsPerSecond / 2 + (t % 7 - 4) * 1'000'003), 0});
  return *trace::Clock::from_knots(knots);
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * std::filesystem::file_size(large_file())));
}

void read_file(benchmark::State& state) {
  const std::string& path = large_file();
  for (auto _ : state) {
    Interner strings;
    Diagnostics diagnostics;
    const Result<trace::RankTrace> rank = xspace::read_rank(path, strings, diagnostics);
    if (!rank) state.SkipWithError(rank.error().message.c_str());
    else state.counters["events"] = static_cast<double>(rank->event_count());
  }
  count_bytes(state);
}
BENCHMARK(read_file)->Unit(benchmark::kMillisecond);

std::string rewritten_file() { return large_file() + ".out"; }

void rewrite_file(benchmark::State& state) {
  const std::string& path = large_file();
  Interner strings;
  Diagnostics diagnostics;
  std::size_t lanes = 0;
  xspace::Retiming retiming;
  const trace::Clock clock = drifting_clock();
  {
    const Result<trace::RankTrace> rank = xspace::read_rank(path, strings, diagnostics);
    if (!rank) return state.SkipWithError(rank.error().message.c_str());
    lanes = rank->lanes.size();
    retiming.epoch_unix_ns = retiming.origin_unix_ns = rank->epoch_unix_ns;
  }
  retiming.clock_of_lane.assign(lanes, &clock);
  for (auto _ : state) {
    const Result<xspace::RewriteSummary> summary = xspace::rewrite(path, rewritten_file(), retiming);
    if (!summary) return state.SkipWithError(summary.error().message.c_str());
    state.counters["remembered"] = static_cast<double>(summary->remembered);
  }
  count_bytes(state);
}
BENCHMARK(rewrite_file)->Unit(benchmark::kMillisecond);

void undo_file(benchmark::State& state) {
  for (auto _ : state) {
    if (const Status status = xspace::undo(rewritten_file(), large_file() + ".back"); !status)
      return state.SkipWithError(status.error().message.c_str());
  }
  count_bytes(state);
}
BENCHMARK(undo_file)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace orrery

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  for (const char* suffix : {"", ".out", ".back"}) std::filesystem::remove(orrery::large_file() + suffix);
}

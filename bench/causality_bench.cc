// Matching collectives and holding them to happens-before: as in a job of 8 nodes, and with 10 million participations.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>

#include "align/causality.h"
#include "align/logical_clock.h"
#include "match/exchange_finder.h"
#include "trace/trace.h"

namespace {

using namespace orrery;

/// SplitMix64: the same numbers everywhere.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A step every 5 ms, give or take 1; every node's clock is up to 10 ms off and drifts by up to 100 ppm.
trace::Trace make_job(std::uint32_t nodes, std::uint32_t collectives, bool numbered) {
  using trace::Field;
  trace::Trace job;
  const StringId kind = job.strings.intern("allreduce"), name = job.strings.intern("all-reduce.1"),
                 module = job.strings.intern("jit_step");
  job.ranks.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    trace::RankTrace& rank = job.ranks[node];
    rank.rank = node;
    rank.lanes.resize(1);
    rank.categories.resize(1);
    const auto offset = static_cast<TimePs>(mixed(node) % 20'000'000'000) - 10'000'000'000;
    const auto drift_ppm = static_cast<TimePs>(mixed(node + 1'000'000) % 200) - 100;
    for (std::uint32_t c = 0; c < collectives; ++c) {
      const TimePs at = c * TimePs{5'000'000'000} + static_cast<TimePs>(mixed(c + 77) % 1'000'000'000);
      const auto late = static_cast<TimePs>(mixed(std::uint64_t{node} << 32 | c) % 100'000'000);
      const TimePs end = at + late + offset + at / 1'000'000 * drift_ppm;
      rank.append_event(
          {.start = end - 1'000'000'000, .duration = 1'000'000'000, .name = name, .flags = trace::kHasDuration},
          {.ordinal = c});
      rank.field(Field::collective_text).push(c, kind);
      rank.field(Field::operation_text).push(c, name);
      rank.field(Field::module_text).push(c, module);
      if (numbered) rank.field(Field::collective_sequence).push(c, c);
    }
  }
  return job;
}

const trace::Trace& job(const benchmark::State& state, bool numbered) {
  static std::map<std::pair<std::int64_t, bool>, trace::Trace> jobs;
  const auto key = std::pair(state.range(0), numbered);
  const auto found = jobs.find(key);
  if (found != jobs.end()) return found->second;
  jobs.clear();  // one at a time: the large one takes a gigabyte
  return jobs
      .emplace(key, make_job(static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)),
                             numbered))
      .first->second;
}

void count(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1)); }

void match(benchmark::State& state) {
  const trace::Trace& trace = job(state, true);
  for (auto _ : state) benchmark::DoNotOptimize(match::find_exchanges(trace).all.size());
  count(state);
}

void match_by_pattern(benchmark::State& state) {
  const trace::Trace& trace = job(state, false);
  for (auto _ : state) benchmark::DoNotOptimize(match::find_exchanges(trace).all.size());
  count(state);
}

void check(benchmark::State& state) {
  const match::Exchanges matched = match::find_exchanges(job(state, true));
  for (auto _ : state)
    benchmark::DoNotOptimize(align::check_causality(matched, match::recorded_times(matched)).violated);
  count(state);
}

void logical_clock(benchmark::State& state) {
  const match::Exchanges matched = match::find_exchanges(job(state, true));
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(align::controlled_logical_clock(matched, match::recorded_times(matched), nodes).ok());
  count(state);
}

BENCHMARK(match)->Args({8, 2'000})->Args({1'000, 10'000})->Unit(benchmark::kMillisecond);
BENCHMARK(check)->Args({8, 2'000})->Args({1'000, 10'000})->Unit(benchmark::kMillisecond);
BENCHMARK(logical_clock)->Args({8, 2'000})->Args({1'000, 10'000})->Unit(benchmark::kMillisecond);
BENCHMARK(match_by_pattern)->Args({8, 2'000})->Args({1'000, 10'000})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

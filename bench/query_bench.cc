// SQL over a million events: the figures that docs/PERFORMANCE.md has a bound for. The trace is made, not read: what is
// measured is the question.
#include <benchmark/benchmark.h>

#include <string>

#include "query/database.h"

namespace {

using namespace orrery;

constexpr std::uint32_t kEvents = 1'000'000;
constexpr std::uint32_t kNames = 300;

/// Names as long as those of kernels, in no order; every second event has a correlation.
const trace::Trace& million_events() {
  static const trace::Trace made = [] {
    trace::Trace job;
    trace::RankTrace& rank = job.ranks.emplace_back();
    rank.lanes.resize(8);
    rank.categories = {{job.strings.intern("cpu_op"), trace::Activity::cpu_operator},
                       {job.strings.intern("kernel"), trace::Activity::kernel}};
    std::vector<StringId> names;
    for (std::uint32_t n = 0; n < kNames; ++n)
      names.push_back(
          job.strings.intern("void at::native::vectorized_elementwise_kernel<4, at::native::Functor<float>>(int, " +
                             std::to_string(n) + ")"));
    std::uint64_t random = 1;
    for (std::uint32_t e = 0; e < kEvents; ++e) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      trace::EventRow row{.start = TimePs{e} * 2000,
                          .duration = static_cast<TimePs>(random >> 50),
                          .name = names[(random >> 33) % kNames],
                          .lane = e % 8};
      row.category = static_cast<std::uint16_t>(e % 2);
      rank.field(trace::Field::correlation).push(rank.append_event(row, {e, e}), e / 2);
    }
    return job;
  }();
  return made;
}

/// A database per question, so that indexes are made each time.
void ask(benchmark::State& state, const std::string& sql) {
  const trace::Trace& trace = million_events();
  for (auto _ : state) {
    Diagnostics remarks;
    Result<query::Database> database = query::Database::open({.trace = trace, .remarks = remarks});
    const Result<query::Answer> answer = database->ask(sql);
    if (!answer) return state.SkipWithError(answer.error().message.c_str());
    benchmark::DoNotOptimize(answer->rows());
  }
  state.counters["events"] = kEvents;
}

void group_by_name(benchmark::State& state) {
  ask(state, "SELECT name, count(*), sum(dur_ps) FROM events GROUP BY name");
}
BENCHMARK(group_by_name)->Unit(benchmark::kMillisecond);

void name_equals(benchmark::State& state) {
  ask(state, "SELECT count(*), sum(dur_ps) FROM events WHERE name = '" +
                 std::string(million_events().strings.text(million_events().ranks[0].name[7])) + "'");
}
BENCHMARK(name_equals)->Unit(benchmark::kMillisecond);

void join_by_correlation(benchmark::State& state) {
  ask(state,
      "SELECT sum(k.start_ps - l.start_ps) FROM events k JOIN events l ON l.correlation = k.correlation WHERE "
      "k.activity = 'kernel' AND "
      "l.activity = 'cpu operator'");
}
BENCHMARK(join_by_correlation)->Unit(benchmark::kMillisecond);

void union_of_all(benchmark::State& state) { ask(state, "SELECT union_ps(start_ps, dur_ps) FROM events"); }
BENCHMARK(union_of_all)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

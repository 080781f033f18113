// Reading a Kineto trace, against the limits: a bare simdjson On-Demand walk over the same bytes, and the inflater
// alone. Needs ORRERY_BENCH_PLAIN and ORRERY_BENCH_GZIP, the same trace plain and compressed (scripts/bench.sh makes
// them).
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/parallel.h"
#include "formats/kineto/reader.h"

namespace {

using namespace orrery;

std::string path_from(const char* variable) {
  const char* path = std::getenv(variable);
  if (path == nullptr) std::fprintf(stderr, "%s is not set\n", variable), std::exit(2);
  return path;
}

void count_bytes(benchmark::State& state, std::uint64_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

// Every member of every event and of its args is visited; times and names are decoded. Nothing is stored.
void simdjson_walk(benchmark::State& state) {
  const auto text = simdjson::padded_string::load(path_from("ORRERY_BENCH_PLAIN")).value();
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    auto document = parser.iterate(text);
    double sum = 0;
    std::size_t characters = 0;
    for (auto event : document["traceEvents"].get_array()) {
      for (auto member : event.get_object()) {
        const std::string_view key = member.unescaped_key().value();
        if (key == "ts" || key == "dur") {
          double value = 0;
          if (!member.value().get(value)) sum += value;
        } else if (key == "name" || key == "cat" || key == "ph") {
          std::string_view value;
          if (!member.value().get(value)) characters += value.size();
        } else if (key == "args") {
          simdjson::ondemand::object args;
          if (!member.value().get(args)) {
            for (auto argument : args) characters += argument.unescaped_key().value().size();
          }
        }
      }
    }
    benchmark::DoNotOptimize(sum);
    benchmark::DoNotOptimize(characters);
  }
  count_bytes(state, text.size());
}
BENCHMARK(simdjson_walk)->Unit(benchmark::kMillisecond);

void read_plain(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(0)));
  const std::string path = path_from("ORRERY_BENCH_PLAIN");
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    Interner strings;
    Diagnostics diagnostics;
    const auto rank = kineto::read_rank(path, strings, diagnostics);
    if (!rank) return state.SkipWithError(rank.error().to_string().c_str());
    bytes = rank->source.text_bytes;
    state.counters["events"] = static_cast<double>(rank->event_count());
    state.counters["bytes_per_event"] =
        static_cast<double>(rank->memory_bytes()) / static_cast<double>(rank->event_count());
  }
  count_bytes(state, bytes);
}
BENCHMARK(read_plain)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void inflate_only(benchmark::State& state) {
  const auto file = MappedFile::open(path_from("ORRERY_BENCH_GZIP"));
  std::vector<char> block(1 << 20);
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    const auto inflater = make_inflater(Compression::gzip, file->bytes(), "");
    bytes = 0;
    for (;;) {
      const auto got = inflater->read(block);
      if (!got) return state.SkipWithError("damaged");
      bytes += *got;
      if (*got < block.size()) break;
    }
  }
  count_bytes(state, bytes);
}
BENCHMARK(inflate_only)->Unit(benchmark::kMillisecond);

void read_gzip(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(0)));
  const std::string path = path_from("ORRERY_BENCH_GZIP");
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    Interner strings;
    Diagnostics diagnostics;
    const auto rank = kineto::read_rank(path, strings, diagnostics);
    if (!rank) return state.SkipWithError(rank.error().to_string().c_str());
    bytes = rank->source.text_bytes;
  }
  count_bytes(state, bytes);
}
BENCHMARK(read_gzip)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// Two ranks, two files: on one thread, and on two.
void read_two_files(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(0)));
  const std::string path = path_from("ORRERY_BENCH_GZIP");
  std::uint64_t bytes = 0;
  kineto::ReadOptions options;
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto job = kineto::read_job({path, path}, diagnostics, options);
    if (!job) return state.SkipWithError(job.error().to_string().c_str());
    bytes = 2 * job->ranks[0].source.text_bytes;
  }
  count_bytes(state, bytes);
}
BENCHMARK(read_two_files)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();

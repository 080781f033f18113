// Reading a PyTorch host trace, against a simdjson On-Demand walk that takes the same members out of the same bytes and
// stores nothing. Needs ORRERY_BENCH_HOST, a plain host trace (scripts/bench.sh makes it).
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdlib>
#include <string>

#include "formats/pytorch_et/reader.h"

namespace {

using namespace orrery;

std::string host_path() {
  const char* path = std::getenv("ORRERY_BENCH_HOST");
  if (path == nullptr) std::fprintf(stderr, "ORRERY_BENCH_HOST is not set\n"), std::exit(2);
  return path;
}

/// What the walk has seen, so that it is not optimised away.
struct Seen {
  std::uint64_t numbers = 0;
  std::size_t characters = 0;
};

bool is_number(std::string_view attribute) {
  return attribute == "rf_id" || attribute == "fw_parent" || attribute == "seq_id" || attribute == "scope" ||
         attribute == "tid" || attribute == "fw_tid";
}

void walk_attributes(simdjson::ondemand::array attributes, Seen& seen) {
  for (auto attribute : attributes) {
    std::string_view name;
    for (auto member : attribute.get_object()) {
      const std::string_view key = member.unescaped_key().value();
      if (key == "name") name = member.value().get_string().value();
      if (key != "value") continue;
      if (name == "op_schema") seen.characters += member.value().get_string().value().size();
      else if (is_number(name)) seen.numbers += static_cast<std::uint64_t>(member.value().get_int64().value());
    }
  }
}

void walk_row(simdjson::ondemand::object row, Seen& seen) {
  for (auto member : row) {
    const std::string_view key = member.unescaped_key().value();
    if (key == "id" || key == "ctrl_deps") seen.numbers += member.value().get_uint64().value();
    else if (key == "name") seen.characters += member.value().get_string().value().size();
    else if (key == "inputs" || key == "outputs")
      seen.characters += simdjson::to_json_string(member.value()).value().size();
    else if (key == "attrs") walk_attributes(member.value().get_array(), seen);
  }
}

void simdjson_walk_host(benchmark::State& state) {
  const auto text = simdjson::padded_string::load(host_path()).value();
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    auto document = parser.iterate(text);
    Seen seen;
    for (auto row : document["nodes"].get_array()) walk_row(row.get_object(), seen);
    benchmark::DoNotOptimize(seen);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(simdjson_walk_host)->Unit(benchmark::kMillisecond);

void read_host(benchmark::State& state) {
  const std::string path = host_path();
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    Interner strings;
    Diagnostics diagnostics;
    const auto trace = pytorch_et::read_host_trace(path, strings, diagnostics);
    if (!trace) return state.SkipWithError(trace.error().to_string().c_str());
    bytes = trace->content.size();
    state.counters["rows"] = static_cast<double>(trace->size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK(read_host)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

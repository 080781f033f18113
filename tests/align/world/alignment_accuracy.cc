// Aligns worlds whose truth is known, from every source and with clocks of every family, and writes what came out as
// JSON: for docs/ACCURACY.md (`make accuracy`).
//
//   alignment_accuracy [SEEDS [FAMILY]]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "align/world/scenario.h"
#include "base/json/json_writer.h"
#include "base/parallel.h"

namespace {

using namespace orrery;
using namespace orrery::align::test;

struct Experiment {
  Known known;
  ClockFamily family;
  std::uint64_t seed;
  std::string json = {};  // what came out; empty: an error
};

void write_score(JsonWriter& json, std::string_view key, const Score& score) {
  json.key(key)
      .begin_object()
      .field("moments", score.moments)
      .field("mean_us", score.mean_ns / 1e3)
      .field("p95_us", score.p95_ns / 1e3);
  json.field("max_us", score.max_ns / 1e3).field("covered_pct", 100 * score.covered).end_object();
}

void perform(Experiment& experiment) {
  Scenario scenario;
  scenario.known = experiment.known;
  scenario.world.family = experiment.family;
  scenario.world.seconds = 16;
  scenario.world.nodes = 8;
  const Result<Outcome> outcome = run(scenario, experiment.seed);
  if (!outcome) return;
  const StepCount steps = count_steps(outcome->world, outcome->alignment);
  JsonWriter json(experiment.json);
  json.begin_object().field("source", to_string(experiment.known)).field("family", to_string(experiment.family));
  json.field("seed", experiment.seed);
  write_score(json, "before", outcome->before);
  write_score(json, "after", outcome->after);
  if (outcome->device.moments > 0) write_score(json, "device", outcome->device);
  json.field("steps", steps.true_steps).field("steps_found", steps.found).field("steps_invented", steps.invented);
  json.field("violated_before", outcome->alignment.before.violated)
      .field("violated_after", outcome->alignment.after.violated);
  json.field("misordered", outcome->misordered).end_object();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  std::vector<Experiment> experiments;
  for (const Known known : kAllKnown) {
    for (const ClockFamily family : kFamilies) {
      if (argc > 2 && to_string(family) != argv[2]) continue;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) experiments.push_back({known, family, seed});
    }
  }
  parallel_for(experiments.size(), [&](std::size_t i) { perform(experiments[i]); });
  std::string text;
  for (const Experiment& experiment : experiments) {
    if (experiment.json.empty()) return std::fputs("a world could not be aligned\n", stderr), 1;
    text += (text.empty() ? "[" : ",\n") + experiment.json;
  }
  std::puts((text + "]").c_str());
  return 0;
}

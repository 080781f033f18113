// Aligns worlds whose truth is known, from every source and with clocks of every family, and writes what came out as JSON: for
// docs/ACCURACY.md (`make accuracy`).
//
//   alignment_accuracy [SEEDS [FAMILY]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "align/world/scenario.h"
#include "base/json_writer.h"

namespace {

using namespace orrery;
using namespace orrery::align::test;

void write_score(JsonWriter& json, std::string_view key, const Score& score) {
  json.key(key).begin_object().field("moments", score.moments).field("mean_us", score.mean_ns / 1e3).field("p95_us", score.p95_ns / 1e3);
  json.field("max_us", score.max_ns / 1e3).field("covered_pct", 100 * score.covered).end_object();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 3;
  if (argc > 1) seeds = std::strtoull(argv[1], nullptr, 10);
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const Known known : kAllKnown) {
    for (const ClockFamily family : kFamilies) {
      if (argc > 2 && to_string(family) != argv[2]) continue;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Scenario scenario;
        scenario.known = known;
        scenario.world.family = family;
        scenario.world.seconds = 24;
        scenario.world.nodes = 8;
        const Result<Outcome> outcome = run(scenario, seed);
        if (!outcome) {
          std::fprintf(stderr, "%s\n", outcome.error().message.c_str());
          return 1;
        }
        const StepCount steps = count_steps(outcome->world, outcome->alignment);
        json.begin_object().field("source", to_string(known)).field("family", to_string(family)).field("seed", seed);
        write_score(json, "before", outcome->before);
        write_score(json, "after", outcome->after);
        if (outcome->device.moments > 0) write_score(json, "device", outcome->device);
        json.field("steps", steps.true_steps).field("steps_found", steps.found).field("steps_invented", steps.invented);
        json.field("violated_before", outcome->alignment.before.violated).field("violated_after", outcome->alignment.after.violated);
        json.field("misordered", outcome->misordered).end_object();
      }
    }
  }
  json.end_array();
  std::puts(text.c_str());
  return 0;
}

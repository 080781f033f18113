// Whole alignments of worlds with a known truth, from every source, with clocks of every family and with damaged
// measurements: the true error, the stated band, the order of events and the steps that were found.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "align/world/scenario.h"

using namespace orrery;
using namespace orrery::align::test;

namespace {

constexpr std::uint64_t kSeed = 11;

Scenario scenario_of(Known known, ClockFamily family) {
  Scenario scenario;
  scenario.known = known;
  scenario.world.family = family;
  scenario.world.nodes = 5;
  scenario.world.seconds = 14;
  return scenario;
}

/// Mean error in us that a source must stay below. Clocks that are slewed change their frequency between the knots of
/// the fit; while a clock is set, its error is the step until the next observation.
double bound_us(Known known, ClockFamily family) {
  if (family == ClockFamily::slew) return 15;
  const double of_source = known == Known::collectives ? 3.5 : known == Known::joint ? 2 : 0.6;
  return family == ClockFamily::steps ? of_source + 3 : of_source;
}

struct Tally {
  double moments = 0, inside = 0;
  void add(const Score& score) {
    moments += static_cast<double>(score.moments);
    inside += static_cast<double>(score.moments) * score.covered;
  }
  [[nodiscard]] double share() const { return inside / moments; }
};

struct Damaged {
  std::string what;
  Scenario scenario;
  double bound_us;
};

template <typename Change>
Damaged damaged(std::string what, Known known, double bound_us, const Change& change) {
  Scenario scenario = scenario_of(known, ClockFamily::wander);
  change(scenario);
  return {std::move(what), scenario, bound_us};
}

std::vector<Damaged> all_damage() {
  std::vector<Damaged> all;
  const auto add = [&](std::string what, Known known, double bound, const auto& change) {
    all.push_back(damaged(std::move(what), known, bound, change));
  };
  add("a third of the packets lost", Known::probes, 0.6, [](Scenario& s) { s.traffic.lost = 0.33; });
  add("a tenth of the packets held up", Known::probes, 0.6, [](Scenario& s) { s.traffic.outliers = 0.1; });
  add("unequal ways there and back", Known::probes, 1.5, [](Scenario& s) { s.traffic.uneven = 0.2; });
  add("rows twice and in any order", Known::probes, 0.6, [](Scenario& s) { s.duplicated = 0.3, s.shuffled = true; });
  add("windows dropped, twice, in any order", Known::windows, 1,
      [](Scenario& s) { s.dropped = 0.2, s.duplicated = 0.2, s.shuffled = true; });
  add("windows with alpha as 1 + rate", Known::windows, 0.6,
      [](Scenario& s) { s.spelling.alpha_is_one_plus_rate = true; });
  add("windows without an answer", Known::windows, 1, [](Scenario& s) { s.windows.unreached = 0.2; });
  add("windows that are wild", Known::windows, 1.5, [](Scenario& s) { s.windows.wild = 0.05; });
  add("offsets of six digits", Known::offsets, 0.6, [](Scenario& s) { s.spelling.six_digits = true; });
  add("offsets with a midpoint", Known::offsets, 0.6, [](Scenario& s) { s.spelling.midpoint_key = true; });
  add("offsets that were not reached", Known::offsets, 1, [](Scenario& s) { s.offsets.unreached = 0.25; });
  add("offsets dropped, twice, in any order", Known::offsets, 1,
      [](Scenario& s) { s.dropped = 0.15, s.duplicated = 0.2, s.shuffled = true; });
  add("snapshots held up", Known::offsets, 0.6, [](Scenario& s) { s.held_up_snapshots = 0.2; });
  add("a trace without its head", Known::collectives, 4.5, [](Scenario& s) { s.world.missing_head = 0.4; });
  add("a head missing, offsets", Known::offsets, 0.6, [](Scenario& s) { s.world.missing_head = 0.4; });
  add("stragglers in every third step", Known::collectives, 4, [](Scenario& s) { s.world.straggler_share = 0.33; });
  add("ends that spread by 100 µs", Known::collectives, 9, [](Scenario& s) { s.world.end_spread_ns = 100'000; });
  add("few collectives", Known::collectives, 9, [](Scenario& s) { s.world.collectives_per_second = 10; });
  return all;
}

}  // namespace

TEST_CASE("every source, every family of clocks: error, band, order, steps") {
  for (const Known known : kAllKnown) {
    Tally tally;
    for (const ClockFamily family : kFamilies) {
      CAPTURE(to_string(known));
      CAPTURE(to_string(family));
      const Result<Outcome> outcome = run(scenario_of(known, family), kSeed);
      CAPTURE((outcome.ok() ? std::string() : outcome.error().message));
      REQUIRE(outcome.ok());
      CHECK(outcome->after.mean_ns < 1e3 * bound_us(known, family));
      CHECK(outcome->after.mean_ns < outcome->before.mean_ns / 50);
      CHECK(outcome->misordered == 0);
      tally.add(outcome->after);
      if (outcome->device.moments > 0) {
        CHECK(outcome->device.mean_ns < 1e3 * bound_us(known, family));
        tally.add(outcome->device);
      }
      const StepCount steps = count_steps(outcome->world, outcome->alignment);
      CHECK(steps.found == steps.true_steps);
      if (family != ClockFamily::slew) CHECK(steps.invented == 0);
    }
    CAPTURE(to_string(known));
    CHECK(tally.share() >= 0.95);
  }
}

TEST_CASE("damaged measurements: the error grows little, and the band knows") {
  Tally tally;
  for (const Damaged& damaged : all_damage()) {
    CAPTURE(damaged.what);
    const Result<Outcome> outcome = run(damaged.scenario, kSeed);
    REQUIRE(outcome.ok());
    CHECK(outcome->after.mean_ns < 1e3 * damaged.bound_us);
    CHECK(outcome->after.covered >= 0.9);
    CHECK(outcome->misordered == 0);
    CHECK(count_steps(outcome->world, outcome->alignment).invented == 0);
    tally.add(outcome->after);
  }
  CHECK(tally.share() >= 0.95);
}

TEST_CASE("a reference whose clock was set: everybody else's maps have the step") {
  Scenario scenario = scenario_of(Known::probes, ClockFamily::steps);
  scenario.world.steps_of_reference = true;
  const Result<Outcome> outcome = run(scenario, kSeed);
  REQUIRE(outcome.ok());
  for (std::size_t node = 1; node < 5; ++node) {
    CAPTURE(node);
    CHECK(outcome->alignment.nodes[node].steps.size() == 1);
  }
  CHECK(outcome->after.covered >= 0.95);
}

TEST_CASE("the same seed gives the same alignment") {
  const Scenario scenario = scenario_of(Known::joint, ClockFamily::wander);
  const Result<Outcome> one = run(scenario, 5), other = run(scenario, 5);
  REQUIRE((one.ok() && other.ok()));
  CHECK(one->after.mean_ns == other->after.mean_ns);
  CHECK(one->alignment.nodes[3].host.knots().size() == other->alignment.nodes[3].host.knots().size());
}

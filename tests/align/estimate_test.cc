#include "align/estimate.h"

#include <doctest/doctest.h>

#include "align/clock_world.h"
#include "base/parallel.h"

using namespace orrery::align;
using orrery::align::test::ClockOptions;
using orrery::align::test::ClockWorld;

TEST_CASE("clocks without noise are found to the nanosecond") {
  Sources sources;
  sources.nodes = 2;
  const auto clock = [](double t) { return t + 4e6 + 17e-6 * t; };
  for (std::uint32_t i = 0; i < 200; ++i) {
    const double t = 1e9 + 5e7 * i;
    sources.sightings.push_back({0, i, t});
    sources.sightings.push_back({1, i, clock(t)});
  }
  sources.events = 200;
  EstimateOptions options;
  options.end_ns = 12e9;
  const Estimate estimate = estimate_clocks(sources, options);
  for (double t = 1e9; t < 11e9; t += 1e8)
    CHECK(estimate.fit.reference_time(1, clock(t)) == doctest::Approx(t).epsilon(1e-10));
  CHECK(estimate.fit.nodes[1].steps.empty());
}

TEST_CASE("collectives alone: error, band and no invented steps") {
  double mean = 0, covered = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ClockWorld world(seed, {});
    const Estimate estimate = estimate_clocks(world.collectives(80, 40'000), world.estimate_options());
    const auto score = world.score(estimate);
    CAPTURE(seed);
    CHECK(score.mean_ns < 3'000);
    for (const NodeClock& node : estimate.fit.nodes) CHECK(node.steps.empty());
    mean += score.mean_ns / 6;
    covered += score.covered / 6;
  }
  CHECK(mean < 2'000);
  CHECK(covered >= 0.95);
}

TEST_CASE("a collective per second: the clocks do not follow every sighting") {
  ClockOptions options;
  options.nodes = 12;
  options.seconds = 300;
  ClockWorld world(4, options);
  const Estimate estimate = estimate_clocks(world.collectives(1, 40'000), world.estimate_options());
  const auto score = world.score(estimate);
  CHECK(estimate.fit.event_scale_ns > 15'000);
  CHECK(score.mean_ns < 8'000);
  CHECK(score.covered >= 0.95);
}

TEST_CASE("probes: error and band") {
  double mean = 0, covered = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ClockWorld world(seed, {});
    const auto score = world.score(estimate_clocks(world.probes(60, 12'000, 15'000), world.estimate_options()));
    mean += score.mean_ns / 4;
    covered += score.covered / 4;
  }
  CHECK(mean < 500);
  CHECK(covered >= 0.95);
}

TEST_CASE("a clock that was set is found, whichever way, by collectives and by probes") {
  for (const double step : {-250'000.0, 120'000.0}) {
    ClockOptions options;
    options.step_ns = step;
    ClockWorld world(7, options);
    for (const bool probes : {false, true}) {
      CAPTURE(step);
      CAPTURE(probes);
      const Estimate estimate = estimate_clocks(
          probes ? world.probes(60, 12'000, 15'000) : world.collectives(80, 40'000), world.estimate_options());
      REQUIRE(estimate.fit.nodes[2].steps.size() == 1);
      CHECK(estimate.fit.nodes[2].steps[0].jump_ns == doctest::Approx(step).epsilon(0.15));
      CHECK(estimate.fit.nodes[2].steps[0].at_ns == doctest::Approx(world.read(0, 10e9)).epsilon(0.01));
      for (const std::size_t other : {1u, 3u, 4u, 5u}) CHECK(estimate.fit.nodes[other].steps.empty());
      CHECK(world.score(estimate).mean_ns < 3'500);
    }
  }
}

TEST_CASE("a node that nothing connects is left alone") {
  ClockWorld world(3, {});
  Sources sources = world.collectives(80, 40'000);
  std::erase_if(sources.sightings, [](const EventObservation& seen) { return seen.node == 4; });
  const Estimate estimate = estimate_clocks(sources, world.estimate_options());
  CHECK_FALSE(estimate.fit.nodes[4].calibrated);
  CHECK(estimate.fit.offset_ns(4, 5e9) == 0);
  CHECK(estimate.fit.nodes[5].calibrated);
}

TEST_CASE("a tenth of wild observations changes little") {
  ClockWorld world(5, {});
  Sources sources = world.collectives(80, 40'000);
  for (std::size_t i = 0; i < sources.sightings.size(); i += 10)
    sources.sightings[i].reading_ns += world.uniform(0, 5e7);
  CHECK(world.score(estimate_clocks(sources, world.estimate_options())).mean_ns < 5'000);
}

TEST_CASE("a few given offsets with errors of their own are all believed") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ClockWorld world(seed, {});
    Sources sources;
    sources.nodes = 6;
    for (double t = 1e9; t < 20e9; t += 3e9) {
      for (std::uint32_t node = 1; node < 6; ++node)
        sources.pairs.push_back(
            {0, node, world.read(0, t), world.read(node, t) - world.read(0, t) + world.normal(300), 300});
    }
    const auto score = world.score(estimate_clocks(sources, world.estimate_options()));
    CHECK(score.mean_ns < 600);
    CHECK(score.worst_ns < 2'500);
    CHECK(score.covered >= 0.95);
  }
}

TEST_CASE("clocks of hundreds of nodes do not depend on the number of threads") {
  ClockWorld world(11, {.nodes = 300, .seconds = 10});
  const Sources sources = world.collectives(100, 40'000);
  orrery::set_thread_count(1);
  const Estimate alone = estimate_clocks(sources, world.estimate_options());
  orrery::set_thread_count(4);
  const Estimate together = estimate_clocks(sources, world.estimate_options());
  orrery::set_thread_count(0);
  REQUIRE(sources.sightings.size() > 250'000);  // enough for several blocks
  for (std::size_t node = 0; node < 300; ++node)
    CHECK(alone.fit.nodes[node].offset_ns == together.fit.nodes[node].offset_ns);
  const auto score = world.score(together);
  CHECK(score.mean_ns < 3'000);
  CHECK(score.covered >= 0.95);
}

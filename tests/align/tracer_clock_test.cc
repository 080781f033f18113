#include "align/tracer_clock.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace orrery;

TEST_CASE("the tracer's clock is found below the delays with which it was read") {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> late(1.0 / 300);
  const auto tracer = [](double host_ns) { return 1.000002 * host_ns + 77'000; };
  trace::ClockSnapshots snapshots;
  snapshots.host_start_ns = 1'000'000'000;
  for (double t = -2e8; t < 2e10; t += 1e8)
    snapshots.pairs.push_back({std::llround(t), std::llround(tracer(t + late(random)))});
  const auto clock = align::fit_tracer_clock(snapshots, 1'000'000'000, 0);
  REQUIRE(clock.ok());
  for (double t = 0; t < 2e10; t += 3e8) {
    const auto reading = static_cast<TimePs>(std::llround((1e9 + tracer(t)) * 1e3));
    CHECK(std::abs(static_cast<double>(clock->map(reading)) / 1e3 - (1e9 + t)) < 100);
  }
}

TEST_CASE("no pairs, no clock") { CHECK_FALSE(align::fit_tracer_clock({}, 0, 0).ok()); }

TEST_CASE("a host clock that is set splits the tracer's map, either way, and held-up pairs do not") {
  for (const double jump : {-400'000.0, 0.0, 90'000.0}) {
    CAPTURE(jump);
    std::mt19937_64 random(2);
    std::exponential_distribution<double> late(1.0 / 300);
    std::uniform_real_distribution<double> chance(0, 1);
    const auto host = [&](double t) { return t + (t >= 10.03e9 ? jump : 0); };
    trace::ClockSnapshots snapshots;
    for (double t = 0; t < 2e10; t += 1e8) {
      const double held_up = chance(random) < 0.05 ? 50'000 : 0;
      snapshots.pairs.push_back({std::llround(host(t)), std::llround(1.000002 * (t + late(random) + held_up))});
    }
    const auto clock = align::fit_tracer_clock(snapshots, 0, 0);
    REQUIRE(clock.ok());
    for (double t = 1e8; t < 1.99e10; t += 1.7e8) {
      if (std::abs(t - 10.03e9) < 0.11e9) continue;  // between two pairs it is not known when
      CAPTURE(t);
      const auto reading = static_cast<TimePs>(std::llround(1.000002 * t * 1e3));
      CHECK(std::abs(static_cast<double>(clock->map(reading)) / 1e3 - host(t)) < 200);
    }
    if (jump == 0) continue;
    const auto near = static_cast<TimePs>(std::llround(1.000002 * 10.03e9 * 1e3));
    CHECK(clock->uncertainty(near) >= static_cast<TimePs>(std::abs(jump) * 1e3) / 2);
  }
}

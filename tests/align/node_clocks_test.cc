#include "align/node_clocks.h"

#include <doctest/doctest.h>

#include <cmath>

#include "align/clock_world.h"

using namespace orrery;
using namespace orrery::align;
using orrery::align::test::ClockOptions;
using orrery::align::test::ClockWorld;

TEST_CASE("a node's map is that of the fit, and strictly increasing, whichever way the clock was set") {
  for (const double step : {0.0, -300'000.0, 300'000.0}) {
    CAPTURE(step);
    ClockOptions options;
    options.step_ns = step;
    ClockWorld world(11, options);
    const Estimate estimate = estimate_clocks(world.collectives(80, 40'000), world.estimate_options());
    const Result<trace::Clock> clock = node_clock(estimate, 2);
    REQUIRE(clock.ok());
    TimePs before = clock->map(0);
    for (TimePs t = 1'000'000; t < 20'000'000'000'000; t += 7'919'000'000) {
      const TimePs now = clock->map(t);
      CHECK(now > before);
      before = now;
    }
    // Away from the step the map is what the fit says.
    for (const double t : {2e9, 5e9, 15e9, 18e9}) {
      const double reading = world.read(2, t);
      const double mapped = static_cast<double>(clock->map(static_cast<TimePs>(std::llround(reading * 1e3)))) / 1e3;
      CHECK(mapped == doctest::Approx(estimate.fit.reference_time(2, reading)).epsilon(1e-9));
    }
  }
}

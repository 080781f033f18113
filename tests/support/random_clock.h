// Random clocks, bent enough that rounding shows.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "trace/clock.h"

namespace orrery::testing {

/// A few knots within a second of the epoch, with slopes from a third to three.
inline trace::Clock random_clock() {
  std::vector<trace::ClockKnot> knots;
  trace::ClockKnot knot{*rc::gen::inRange<TimePs>(-1'000'000, 1'000'000'000'000),
                        *rc::gen::inRange<TimePs>(-1'000'000'000'000, 1'000'000'000'000)};
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    knots.push_back(knot);
    const TimePs run = *rc::gen::weightedOneOf<TimePs>(
        {{1, rc::gen::inRange<TimePs>(1, 50)}, {4, rc::gen::inRange<TimePs>(1'000, 2'000'000'000'000)}});
    const TimePs rise = *rc::gen::weightedOneOf<TimePs>(
        {{1, rc::gen::just(run)}, {3, rc::gen::inRange<TimePs>(std::max<TimePs>(run / 3, 1), run * 3 + 1)}});
    knot.from_ps += run;
    knot.to_ps += rise;
  }
  return *trace::Clock::from_knots(knots);
}

}  // namespace orrery::testing

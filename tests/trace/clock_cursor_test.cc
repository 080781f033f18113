#include "trace/clock.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "support/random_clock.h"
#include "trace/trace.h"

namespace orrery::trace {
namespace {

TimePs near_a_knot(const Clock& clock) {
  const auto& knot = clock.knots()[*rc::gen::inRange<std::size_t>(0, clock.knots().size())];
  return knot.from_ps + *rc::gen::weightedOneOf<TimePs>({{1, rc::gen::inRange<TimePs>(-3, 4)},
                                                         {2, rc::gen::inRange<TimePs>(-9'000'000'000, 9'000'000'000)}});
}

TEST_CASE("a cursor maps like its clock, in whatever order it is asked") {
  CHECK(rc::check([] {
    const Clock clock = orrery::testing::random_clock();
    ClockCursor cursor(clock.knots());
    for (int i = 0; i < 20; ++i) {
      const TimePs t = near_a_knot(clock);
      RC_ASSERT(cursor.map(t).time == clock.map(t));
      RC_ASSERT(cursor.map(t).is_first == (clock.map(t - 1) != clock.map(t)));
    }
  }));
}

TEST_CASE("the first preimage is the earliest reading with that image or a later one") {
  CHECK(rc::check([] {
    const Clock clock = orrery::testing::random_clock();
    ClockCursor cursor(clock.knots());
    for (int i = 0; i < 20; ++i) {
      const TimePs t = near_a_knot(clock);
      const TimePs image = clock.map(t) + *rc::gen::inRange<TimePs>(-2, 3);
      const TimePs first = cursor.first_preimage(image);
      RC_ASSERT(clock.map(first) >= image);
      RC_ASSERT(clock.map(first - 1) < image);
      if (cursor.map(t).is_first) RC_ASSERT(cursor.first_preimage(clock.map(t)) == t);
    }
  }));
}

TEST_CASE("a step back in the rate does not lose picoseconds: 1 in 4 readings shares its image at slope 3/4") {
  const Clock clock = *Clock::from_knots(std::vector<ClockKnot>{{0, 0, 0}, {4000, 3000, 0}});
  ClockCursor cursor(clock.knots());
  int shared = 0;
  for (TimePs t = 0; t < 4000; ++t) shared += cursor.map(t).is_first ? 0 : 1;
  CHECK(shared == 1000);
}

TEST_CASE("clocks further away than a trace can be do not fit") {
  CHECK(ClockCursor(Clock::offset(1'000).knots()).fits());
  CHECK(ClockCursor(Clock::offset(-kMaxMomentPs).knots()).fits());
  CHECK_FALSE(ClockCursor(Clock::offset(kMaxMomentPs + 1).knots()).fits());
  const std::vector<ClockKnot> far = {{kMaxMomentPs + 1, kMaxMomentPs + 1, 0}};
  CHECK_FALSE(ClockCursor(far).fits());
}

}  // namespace
}  // namespace orrery::trace

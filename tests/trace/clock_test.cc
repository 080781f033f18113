#include "trace/clock.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/int128.h"

using orrery::Int128;
using orrery::TimePs;
using orrery::trace::Clock;
using orrery::trace::ClockKnot;

namespace {

constexpr TimePs kMin = std::numeric_limits<TimePs>::min();
constexpr TimePs kMax = std::numeric_limits<TimePs>::max();

Clock clock_of(std::vector<ClockKnot> knots) {
  auto clock = Clock::from_knots(knots);
  REQUIRE(clock.ok());
  return *clock;
}

/// A clock as it occurs: knots milliseconds to seconds apart or 1 ps apart (a step), rates within 300 ppm or, now and
/// then, anything.
Clock plausible_clock() {
  const int count = *rc::gen::inRange(1, 8);
  std::vector<ClockKnot> knots;
  TimePs from = *rc::gen::inRange<TimePs>(-orrery::kPsPerSecond, orrery::kPsPerSecond);
  TimePs to = from + *rc::gen::inRange<TimePs>(-orrery::kPsPerSecond, orrery::kPsPerSecond);
  for (int i = 0; i < count; ++i) {
    knots.push_back({from, to, *rc::gen::inRange<TimePs>(0, orrery::kPsPerUs)});
    const TimePs width = *rc::gen::oneOf(rc::gen::inRange<TimePs>(1, 4), rc::gen::inRange<TimePs>(1, 1000),
                                         rc::gen::inRange<TimePs>(1, 4 * orrery::kPsPerSecond));
    const TimePs drift = width / 1'000'000 * *rc::gen::inRange<TimePs>(-300, 300);
    from += width;
    to += *rc::gen::oneOf(rc::gen::just(width + drift), rc::gen::just(width + drift), rc::gen::inRange<TimePs>(1, 1000),
                          rc::gen::inRange<TimePs>(1, orrery::kPsPerSecond));
  }
  return clock_of(std::move(knots));
}

/// Any clock at all: coordinates all over the range of TimePs.
Clock extreme_clock() {
  const auto any = rc::gen::oneOf(rc::gen::arbitrary<TimePs>(), rc::gen::inRange<TimePs>(kMin, kMax),
                                  rc::gen::element(kMin, kMin + 1, TimePs{-1}, TimePs{0}, kMax - 1, kMax));
  auto froms = *rc::gen::nonEmpty(rc::gen::container<std::vector<TimePs>>(any));
  auto tos = *rc::gen::container<std::vector<TimePs>>(froms.size(), any);
  for (auto* column : {&froms, &tos}) {
    std::sort(column->begin(), column->end());
    column->erase(std::unique(column->begin(), column->end()), column->end());
  }
  std::vector<ClockKnot> knots;
  for (std::size_t i = 0; i < std::min(froms.size(), tos.size()); ++i)
    knots.push_back({froms[i], tos[i], *rc::gen::inRange<TimePs>(0, kMax)});
  return clock_of(std::move(knots));
}

/// A reading near the knots of a clock, or anywhere.
TimePs reading(const Clock& clock) {
  const TimePs knot = clock.knots()[*rc::gen::inRange<std::size_t>(0, clock.knots().size())].from_ps;
  const TimePs delta = *rc::gen::oneOf(rc::gen::inRange<TimePs>(-3, 4),
                                       rc::gen::inRange<TimePs>(-orrery::kPsPerSecond, orrery::kPsPerSecond));
  const Int128 moved = Int128{knot} + delta;
  return moved < kMin || moved > kMax ? knot : static_cast<TimePs>(moved);
}

struct Slope {
  Int128 rise = 1, run = 1;
};

Slope slope_at(const Clock& clock, TimePs t) {
  const auto knots = clock.knots();
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    if (t >= knots[i].from_ps && t < knots[i + 1].from_ps)
      return {Int128{knots[i + 1].to_ps} - knots[i].to_ps, Int128{knots[i + 1].from_ps} - knots[i].from_ps};
  }
  return {};
}

/// What `compose` promises for any reading: |difference| < 2 + slope of the outer clock.
bool within_composition_bound(TimePs a, TimePs b, Slope outer) {
  const Int128 difference = a > b ? Int128{a} - b : Int128{b} - a;
  return (difference - 2) * outer.run < outer.rise;
}

/// The points at which `compose` is exact, computed the slow way from what the header says.
std::vector<TimePs> exact_points(const Clock& inner, const Clock& outer) {
  std::vector<TimePs> points;
  for (const ClockKnot& knot : inner.knots()) points.push_back(knot.from_ps);
  const Clock back = inner.inverse();
  for (const ClockKnot& knot : outer.knots())
    points.insert(points.end(), {back.map(knot.from_ps), back.map(knot.from_ps) + 1});
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace

TEST_CASE("identity and offset move readings by a constant and saturate at the ends of time") {
  for (const TimePs t : {kMin, TimePs{-1}, TimePs{0}, TimePs{12345}, kMax}) CHECK(Clock::identity().map(t) == t);
  const Clock later = Clock::offset(250, 7);
  CHECK(later.map(1000) == 1250);
  CHECK(later.map(kMax - 100) == kMax);
  CHECK(later.uncertainty(-5) == 7);
  CHECK(later.inverse().map(1250) == 1000);
  CHECK(later.inverse().uncertainty(0) == 7);
  CHECK(Clock::offset(kMin).inverse().map(kMin) == 0);
  CHECK(Clock::offset(kMin).map(-1) == kMin);
}

TEST_CASE("knots map to knots, the space between is linear and rounded down, the space outside has slope 1") {
  const Clock clock = clock_of({{0, 100, 10}, {10, 103, 30}, {20, 203, 0}});
  CHECK(clock.map(0) == 100);
  CHECK(clock.map(10) == 103);
  CHECK(clock.map(20) == 203);
  CHECK(clock.map(3) == 100);  // 100.9
  CHECK(clock.map(4) == 101);  // 101.2
  CHECK(clock.map(15) == 153);
  CHECK(clock.map(-7) == 93);
  CHECK(clock.map(25) == 208);
  CHECK(clock.uncertainty(-1) == 10);
  CHECK(clock.uncertainty(5) == 20);
  CHECK(clock.uncertainty(19) == 3);
  CHECK(clock.uncertainty(99) == 0);
}

TEST_CASE("negative images are rounded down as well") {
  const Clock clock = clock_of({{0, -10, 0}, {4, -9, 0}});
  CHECK(clock.map(1) == -10);
  CHECK(clock.map(3) == -10);
  CHECK(clock.map(4) == -9);
}

TEST_CASE("a step of the clock is two knots 1 ps apart") {
  const Clock clock = clock_of({{1000, 1000, 0}, {1001, 501'001, 0}});
  CHECK(clock.map(999) == 999);
  CHECK(clock.map(1000) == 1000);
  CHECK(clock.map(1001) == 501'001);
  CHECK(clock.map(1002) == 501'002);
  CHECK(clock.inverse().map(300'000) == 1000);
}

TEST_CASE("knots that do not increase on both sides are an error that names the knot") {
  const auto error_of = [](std::vector<ClockKnot> knots) {
    const auto clock = Clock::from_knots(knots);
    return clock.ok() ? std::string() : clock.error().to_string();
  };
  CHECK(error_of({}) == "a clock needs at least one knot");
  CHECK(error_of({{0, 0, 0}, {0, 1, 0}}).starts_with("clock knot 1 does not increase"));
  CHECK(error_of({{0, 0, 0}, {5, 5, 0}, {6, 5, 0}}).starts_with("clock knot 2 does not increase"));
  CHECK(error_of({{0, 0, 0}, {5, -5, 0}}).starts_with("clock knot 1 does not increase"));
  CHECK(error_of({{0, 0, -1}}) == "clock knot 0 has a negative uncertainty");
  CHECK(error_of({{kMin, kMin, 0}, {kMax, kMax, 0}}).empty());
}

TEST_CASE("composing offsets gives an offset, and uncertainties add up") {
  const Clock sum = Clock::offset(300, 5).compose(Clock::offset(-40, 6)).compose(Clock::offset(1, 0));
  CHECK(sum.knots().size() == 1);
  CHECK(sum.map(1000) == 1261);
  CHECK(sum.uncertainty(0) == 11);
}

TEST_CASE("an uncertainty is stretched by the clock that follows") {
  const Clock doubling = clock_of({{-1000, -2000, 0}, {1000, 2000, 0}});
  CHECK(Clock::offset(0, 10).compose(doubling).uncertainty(0) == 20);
  CHECK(doubling.compose(Clock::offset(0, 10)).uncertainty(0) == 10);
  const Clock halved = clock_of({{-1000, -2000, 10}, {1000, 2000, 10}}).inverse();
  CHECK(halved.uncertainty(2000) == 10);  // slope 1 above the last knot reaches further than slope 1/2 below it
  CHECK(clock_of({{-1000, -2000, 10}, {0, 0, 10}, {1000, 2000, 10}}).inverse().uncertainty(0) == 5);
}

TEST_CASE("composition bends where either clock bends") {
  const Clock inner = clock_of({{0, 0, 0}, {100, 200, 0}});
  const Clock outer = clock_of({{50, 50, 0}, {51, 1051, 0}, {400, 1749, 0}});
  const Clock both = inner.compose(outer);
  for (TimePs t = -50; t < 500; ++t) CHECK(both.map(t) == outer.map(inner.map(t)));
}

TEST_CASE("composition saturates once, at the end") {
  const Clock up = Clock::offset(kMax), down = Clock::offset(kMin);
  CHECK(up.compose(up).map(kMin) == kMax - 1);
  CHECK(up.compose(up).map(0) == kMax);
  CHECK(up.compose(down).map(1000) == 999);
  CHECK(down.compose(down).map(kMax) == kMin);
  CHECK(down.compose(down).map(kMin) == kMin);
  const Clock steep = clock_of({{0, 0, 0}, {10, kMax, 0}});
  CHECK(steep.compose(up).map(0) == kMax);
  CHECK(steep.compose(up).map(-1) == kMax - 1);
}

TEST_CASE("property: map is monotone, and strictly so where the slope is 1 or more") {
  CHECK(rc::check("plausible clocks", [] {
    const Clock clock = plausible_clock();
    const TimePs t = reading(clock);
    RC_ASSERT(clock.map(t) <= clock.map(t + 1));
    const Slope slope = slope_at(clock, t);
    if (slope.rise >= slope.run) RC_ASSERT(clock.map(t) < clock.map(t + 1));
  }));
  CHECK(rc::check("extreme clocks", [] {
    const Clock clock = extreme_clock();
    const TimePs t = reading(clock);
    if (t < kMax) RC_ASSERT(clock.map(t) <= clock.map(t + 1));
    for (const ClockKnot& knot : clock.knots()) RC_ASSERT(clock.map(knot.from_ps) == knot.to_ps);
    for (const ClockKnot& knot : clock.knots()) RC_ASSERT(clock.uncertainty(knot.from_ps) == knot.uncertainty_ps);
  }));
}

TEST_CASE("property: there and back loses at most ceil(1/slope)") {
  const auto check = [](const Clock& clock) {
    const TimePs t = reading(clock);
    const TimePs image = clock.map(t);
    if (image == kMin || image == kMax) return;  // may have saturated
    const Int128 lost = Int128{t} - clock.inverse().map(image);
    const Slope slope = slope_at(clock, t);
    RC_ASSERT(lost >= 0);
    RC_ASSERT(lost * slope.rise < slope.rise + slope.run);
    if (slope.rise == slope.run) RC_ASSERT(lost == 0);
  };
  CHECK(rc::check("plausible clocks", [&] { check(plausible_clock()); }));
  CHECK(rc::check("extreme clocks", [&] { check(extreme_clock()); }));
}

TEST_CASE("property: composition is exact at the union of the knots and close everywhere") {
  CHECK(rc::check("plausible clocks", [] {
    const Clock inner = plausible_clock(), outer = plausible_clock();
    const Clock both = inner.compose(outer);
    RC_ASSERT(Clock::from_knots(both.knots()).ok());
    bool have_previous = false;
    TimePs previous_image = 0;
    for (const TimePs t : exact_points(inner, outer)) {
      const TimePs image = outer.map(inner.map(t));
      const bool shared = have_previous && previous_image == image;
      RC_ASSERT(both.map(t) == image || (shared && both.map(t) == image + 1));
      have_previous = true;
      previous_image = image;
    }
    const TimePs t = reading(*rc::gen::element(inner, both));
    RC_ASSERT(within_composition_bound(both.map(t), outer.map(inner.map(t)), slope_at(outer, inner.map(t))));
  }));
}

TEST_CASE("property: composition is associative at the knots, up to the bound of one rounding per clock") {
  CHECK(rc::check("offsets and steps: exactly", [] {
    const auto stepping = [] {
      std::vector<ClockKnot> knots;
      TimePs from = *rc::gen::inRange<TimePs>(-1000, 1000), to = *rc::gen::inRange<TimePs>(-1000, 1000);
      for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
        knots.insert(knots.end(), {{from, to, 0}, {from + 1, to += *rc::gen::inRange<TimePs>(1, 500), 0}});
        const TimePs pause = *rc::gen::inRange<TimePs>(1, 500);
        from += 1 + pause;
        to += pause;
      }
      return clock_of(std::move(knots));
    };
    const Clock a = stepping(), b = stepping(), c = stepping();
    const Clock left = a.compose(b).compose(c), right = a.compose(b.compose(c));
    for (TimePs t = -4000; t < 4000; t += 7)
      RC_ASSERT(left.map(t) == right.map(t) && left.map(t) == c.map(b.map(a.map(t))));
    for (const Clock* clock : {&left, &right}) {
      for (const ClockKnot& knot : clock->knots()) RC_ASSERT(knot.to_ps == c.map(b.map(a.map(knot.from_ps))));
    }
  }));
  CHECK(rc::check("drifting clocks: to within a few ps", [] {
    const auto drifting = [] {
      std::vector<ClockKnot> knots;
      TimePs from = *rc::gen::inRange<TimePs>(-1000, 1000), to = from;
      for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
        knots.push_back({from, to, 0});
        const TimePs width = *rc::gen::inRange<TimePs>(1'000'000, orrery::kPsPerSecond);
        from += width;
        to += width + width / 1'000'000 * *rc::gen::inRange<TimePs>(-300, 301);
      }
      return clock_of(std::move(knots));
    };
    const Clock a = drifting(), b = drifting(), c = drifting();
    const Clock left = a.compose(b).compose(c), right = a.compose(b.compose(c));
    for (const Clock* clock : {&left, &right}) {
      for (const ClockKnot& knot : clock->knots()) {
        RC_ASSERT(std::abs(left.map(knot.from_ps) - right.map(knot.from_ps)) <= 6);
        RC_ASSERT(std::abs(left.map(knot.from_ps) - c.map(b.map(a.map(knot.from_ps)))) <= 6);
      }
    }
  }));
}

TEST_CASE("property: any clocks compose and invert without overflow and stay valid") {
  CHECK(rc::check("extreme clocks", [] {
    const Clock inner = extreme_clock(), outer = extreme_clock();
    const Clock both = inner.compose(outer);
    RC_ASSERT(Clock::from_knots(both.knots()).ok());
    RC_ASSERT(Clock::from_knots(both.inverse().knots()).ok());
    const TimePs t = reading(*rc::gen::element(inner, both));
    const TimePs middle = inner.map(t), image = outer.map(middle);
    const bool saturated = middle == kMin || middle == kMax || image == kMin || image == kMax;
    if (!saturated) RC_ASSERT(within_composition_bound(both.map(t), image, slope_at(outer, middle)));
    RC_ASSERT(both.uncertainty(t) >= 0);
  }));
}

#include "align/clock_steps.h"

#include <doctest/doctest.h>

#include <random>

using namespace orrery::align;

namespace {

/// `per_second` residuals with a spread of 40 us over 10 s, to which `shape(t in s)` is added.
template <typename Shape>
std::vector<ResidualPoint> residuals(double per_second, const Shape& shape) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 40'000);
  std::vector<ResidualPoint> points;
  for (double t = 0; t < 10; t += 1 / per_second) points.push_back({t * 1e9, shape(t) + noise(random)});
  return points;
}

const std::vector<std::vector<ClockStep>> kNoneKnown(2);

/// One offset every 2 s for 40 s, known to 300 ns.
template <typename Shape>
std::vector<OffsetPoint> offsets(const Shape& shape) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 300);
  std::vector<OffsetPoint> points;
  for (double t = 1; t < 40; t += 2) points.push_back({t * 1e9, 1e6 + 20e3 * t + shape(t) + noise(random)});
  return points;
}

}  // namespace

TEST_CASE("a jump is found where it is, with its size") {
  const auto found = find_step({{}, residuals(80, [](double t) { return t < 4.2 ? 0.0 : 250'000.0; })}, kNoneKnown);
  REQUIRE(found);
  CHECK(found->node == 1);
  CHECK(found->step.jump_ns == doctest::Approx(250'000).epsilon(0.1));
  CHECK(found->step.earliest_ns <= 4.2e9);
  CHECK(found->step.latest_ns >= 4.18e9);
  CHECK(found->step.latest_ns - found->step.earliest_ns < 0.02e9);
}

TEST_CASE("noise alone, a slew of a second, and what lies at the ends are no steps") {
  CHECK_FALSE(find_step({{}, residuals(80, [](double) { return 0.0; })}, kNoneKnown));
  const auto slew = [](double t) { return t < 4 ? -200'000.0 : t > 5 ? 200'000.0 : (t - 4.5) * 400'000; };
  CHECK_FALSE(find_step({{}, residuals(80, slew)}, kNoneKnown));
  CHECK_FALSE(find_step({{}, residuals(80, [](double t) { return t < 0.6 ? 0.0 : 250'000.0; })}, kNoneKnown));
}

TEST_CASE("a step that is known already is not found again") {
  const std::vector<std::vector<ClockStep>> known = {{}, {{4.3e9, 250'000, 4.2e9, 4.4e9}}};
  CHECK_FALSE(find_step({{}, residuals(80, [](double t) { return t < 4.2 ? 0.0 : 250'000.0; })}, known));
}

TEST_CASE("a step between sparse offsets is found in its gap, and placed by what was seen meanwhile") {
  const auto jump = [](double t) { return t < 20.7 ? 0.0 : -60'000.0; };
  const auto found = find_sparse_step({{}, offsets(jump)}, kNoneKnown);
  REQUIRE(found);
  CHECK(found->candidate.node == 1);
  CHECK(found->candidate.step.jump_ns == doctest::Approx(-60'000).epsilon(0.05));
  CHECK(found->candidate.step.earliest_ns < 20.7e9);
  CHECK(found->candidate.step.latest_ns > 20.7e9);
  std::vector<OffsetPoint> seen;
  for (double t = 18; t < 24; t += 0.1) seen.push_back({t * 1e9, 1e6 + 20e3 * t + jump(t)});
  const ClockStep placed = place_between(*found, seen);
  CHECK(placed.earliest_ns == doctest::Approx(20.6e9).epsilon(0.005));
  CHECK(placed.latest_ns == doctest::Approx(20.7e9).epsilon(0.005));
  const ClockStep unseen = place_between(*found, {});
  CHECK(unseen.at_ns == found->candidate.step.at_ns);
}

TEST_CASE("sparse offsets that wander, bend or jump back at once are no step") {
  CHECK_FALSE(find_sparse_step({{}, offsets([](double) { return 0.0; })}, kNoneKnown));
  CHECK_FALSE(find_sparse_step({{}, offsets([](double t) { return t < 20 ? 0.0 : (t - 20) * 30'000; })}, kNoneKnown));
  CHECK_FALSE(find_sparse_step({{}, offsets([](double t) { return t > 20 && t < 22 ? 500'000.0 : 0.0; })}, kNoneKnown));
}

// Stragglers told from chance.
#include "analyze/blame/stragglers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace orrery;
using namespace orrery::analyze;

namespace {

/// blame[step][rank]
BlameBySteps table(const std::vector<std::vector<TimePs>>& blame) {
  BlameBySteps steps(blame.size(), blame.front().size());
  for (std::size_t k = 0; k < blame.size(); ++k) {
    for (std::size_t r = 0; r < blame[k].size(); ++r) steps.at(k, r) = blame[k][r];
  }
  return steps;
}

std::vector<Straggler> judged(const std::vector<std::vector<TimePs>>& blame, TimePs gain, TimePs span) {
  const std::vector<std::optional<TimePs>> gains(blame.front().size(), gain);
  return find_stragglers(table(blame), gains, span);
}

}  // namespace

TEST_CASE("the chance of being late so often") {
  // Always the worst: only one order of each step says so.
  CHECK(chances_of_lateness(table({{1, 2, 3, 9}, {3, 2, 1, 9}}))[3] == doctest::Approx(0.25));
  CHECK(chances_of_lateness(table(std::vector<std::vector<TimePs>>(10, {1, 2, 3, 4, 5, 6, 7, 8})))[7] ==
        doctest::Approx(8 * std::pow(1.0 / 8, 10)));
  // Once the second of four in six steps: seven of 4^6 orders are at least as bad.
  std::vector<std::vector<TimePs>> blame(6, {0, 9, 1, 2});
  blame[4] = {0, 5, 6, 1};
  CHECK(chances_of_lateness(table(blame))[1] == doctest::Approx(4 * 7 / 4096.0));
  // Who has no blame is not the second, even where only one has any; and steps without waiting say nothing.
  blame = {{9, 0, 0}, {0, 0, 0}, {9, 0, 0}};
  CHECK(chances_of_lateness(table(blame))[0] == doctest::Approx(3 * 1 / 9.0));
  CHECK(chances_of_lateness(table(blame))[1] == 1);
}

TEST_CASE("the chance of being the worst so often") {
  CHECK(chance_of_worst(2, 4, 2) == doctest::Approx(0.25));
  CHECK(chance_of_worst(2, 4, 0) == 1);
  CHECK(chance_of_worst(10, 8, 10) == doctest::Approx(8 * std::pow(1.0 / 8, 10)));
  CHECK(chance_of_worst(10, 2, 1) == 1);
}

TEST_CASE("the chance of so many of so many") {
  // Against the sum as it stands in the books.
  for (const double each : {0.5, 0.2, 1.0 / 64}) {
    for (const std::size_t least : {1, 7, 19, 40}) {
      double tail = 0;
      for (std::size_t i = least; i <= 40; ++i) {
        tail += std::exp(std::lgamma(41.0) - std::lgamma(static_cast<double>(i) + 1) -
                         std::lgamma(41.0 - static_cast<double>(i))) *
                std::pow(each, i) * std::pow(1 - each, 40 - i);
      }
      CHECK(binomial_tail(40, each, least) ==
            doctest::Approx(static_cast<double>(least) <= 40 * each ? 1 : tail).epsilon(1e-9));
    }
  }
  CHECK(binomial_tail(40, 1, 40) == 1);
  CHECK(binomial_tail(300, 0.9999, 150) == 1);
  CHECK(binomial_tail(40, 0, 1) == 0);
  CHECK(binomial_tail(40, 0.5, 0) == 1);
  const double many = binomial_tail(100'000, 0.5, 50'500);
  CHECK(many > 0.0005);
  CHECK(many < 0.001);
}

TEST_CASE("too few steps decide nothing") {
  CHECK(too_few_steps(2, 4));
  CHECK(too_few_steps(7, 2));
  CHECK_FALSE(too_few_steps(8, 2));
  CHECK_FALSE(too_few_steps(4, 8));
  const auto ranks = judged({{0, 9}, {0, 9}}, 100, 100);
  CHECK(ranks[1].pattern == Pattern::undecided);
  CHECK(ranks[1].worst_in_steps == 2);
  CHECK(ranks[0].pattern == Pattern::none);
  CHECK(judged({{9, 0}, {0, 9}}, 100, 100)[1].pattern == Pattern::none);
}

TEST_CASE("always the worst, and worth fixing") {
  const std::vector<std::vector<TimePs>> always(10, {1, 50, 2});
  CHECK(judged(always, 5, 1000)[1].pattern == Pattern::persistent);
  CHECK(judged(always, 5, 1000)[0].pattern == Pattern::none);
  CHECK(judged(always, 4, 1000)[1].pattern == Pattern::none);  // 0.4 % of the job: let it be
  CHECK(judged(always, 4, 1000)[1].p_late < 0.01);
  const auto not_asked = find_stragglers(table(always), std::vector<std::optional<TimePs>>(3), 1000);
  CHECK(not_asked[1].pattern == Pattern::none);
}

TEST_CASE("steps that stand out") {
  std::vector<std::vector<TimePs>> blame;
  for (TimePs k = 0; k < 12; ++k) blame.push_back({100 + k % 3, 100 + (k + 1) % 3, 100 + (k + 2) % 3});
  blame[2][0] = blame[3][0] = blame[7][0] = 60'000;
  const auto ranks = judged(blame, 100, 12'000);  // 1 % of a step: 10, of two others: 20
  CHECK(ranks[0].pattern == Pattern::intermittent);
  CHECK(ranks[0].p_exceptions <= 0.01);
  CHECK(ranks[0].outlier_steps == std::vector<std::uint32_t>{2, 3, 7});
  CHECK(ranks[1].pattern == Pattern::none);
  CHECK(ranks[1].outlier_steps.empty());
  // The same in a job whose steps are long, and where nothing would be gained: not worth naming.
  CHECK(judged(blame, 100, 12'000'000)[0].pattern == Pattern::none);
  CHECK(judged(blame, 0, 12'000)[0].pattern == Pattern::none);
  // One exception proves nothing, however large; nor do three that are only some times as large as what others cause.
  blame[2][0] = blame[3][0] = 101;
  CHECK(judged(blame, 100, 12'000)[0].outlier_steps == std::vector<std::uint32_t>{7});
  CHECK(judged(blame, 100, 12'000)[0].pattern == Pattern::none);
  blame[2][0] = blame[3][0] = blame[7][0] = 900;
  CHECK(judged(blame, 100, 12'000)[0].outlier_steps.size() == 3);
  CHECK(judged(blame, 100, 12'000)[0].pattern == Pattern::none);
}

TEST_CASE("a rank that is late in every step, though not always the worst") {
  // Root blame of four ranks in six steps, recorded (overlap4_hidden1): rank 1 sleeps in each.
  const auto ranks = judged(
      {{0, 6161, 415, 0}, {0, 10331, 0, 0}, {669, 9647, 0, 0}, {0, 6701, 0, 855}, {0, 594, 6166, 0}, {0, 5300, 0, 0}},
      9467, 87'659);
  CHECK(ranks[1].pattern == Pattern::persistent);
  CHECK(ranks[1].worst_in_steps == 5);
  for (const std::size_t r : {0, 2, 3}) CHECK(ranks[r].pattern == Pattern::none);
}

TEST_CASE("nobody was delayed, and nobody is named") {
  // Eight ranks in six steps, recorded (ddp8_base).
  for (const Straggler& rank : judged({{23120, 0, 0, 0, 0, 0, 0, 2875},
                                       {0, 22757, 0, 0, 7613, 0, 0, 0},
                                       {333, 15972, 0, 0, 0, 0, 0, 14475},
                                       {0, 0, 11305, 8768, 0, 18391, 0, 0},
                                       {65085, 0, 0, 0, 0, 0, 0, 0},
                                       {0, 12287, 5151, 0, 0, 0, 0, 0}},
                                      6800, 251'621)) {
    CHECK(rank.pattern == Pattern::none);
    CHECK(rank.chance() > 0.01);
  }
}

TEST_CASE("of jobs whose ranks are alike hardly any has a straggler, whatever the noise and however many steps") {
  std::mt19937_64 random(30);
  for (const auto& [steps, ranks] : {std::pair<std::size_t, std::size_t>{6, 8}, {12, 6}, {40, 2}, {300, 8}, {12, 64}}) {
    std::size_t named = 0;
    constexpr std::size_t kJobs = 400;
    for (std::size_t job = 0; job < kJobs; ++job) {
      std::vector<std::vector<TimePs>> blame(steps, std::vector<TimePs>(ranks, 0));
      for (std::vector<TimePs>& row : blame) {
        for (TimePs& cell : row) {
          // Half of all have none; the others are as often above x as 1 in x: the longest tails that a mean allows.
          const double u = static_cast<double>(random() >> 11) * 0x1p-53;
          cell = u < 0.5 ? 0 : static_cast<TimePs>(1000 / (1 - u));
        }
      }
      const auto found = judged(blame, 1'000'000, 1'000'000);
      named +=
          std::any_of(found.begin(), found.end(), [](const Straggler& rank) { return rank.pattern != Pattern::none; });
    }
    CAPTURE(steps);
    CHECK(named <= kJobs / 40);  // a level of 1.1 %, and what 400 jobs leave to chance
  }
}

TEST_CASE("nobody is the worst of a step without waiting") {
  const BlameBySteps steps = table({{0, 0}, {0, 3}});
  CHECK_FALSE(steps.worst(0).has_value());
  CHECK(steps.worst(1) == 1U);
  CHECK(table({{4, 4}}).worst(0) == 0U);
}

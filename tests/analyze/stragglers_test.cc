// Stragglers told from chance.
#include "analyze/stragglers.h"

#include <doctest/doctest.h>

#include <cmath>

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

TEST_CASE("the chance of being the worst so often") {
  CHECK(chance_of_worst(2, 4, 2) == doctest::Approx(0.25));
  CHECK(chance_of_worst(2, 4, 0) == 1);
  CHECK(chance_of_worst(10, 8, 10) == doctest::Approx(8 * std::pow(1.0 / 8, 10)));
  CHECK(chance_of_worst(10, 2, 1) == 1);
  // Against the sum as it stands in the books.
  for (const std::size_t ranks : {2, 5, 64}) {
    for (const std::size_t worst : {1, 7, 19, 40}) {
      double tail = 0;
      for (std::size_t i = worst; i <= 40; ++i) {
        tail += std::exp(std::lgamma(41.0) - std::lgamma(static_cast<double>(i) + 1) - std::lgamma(41.0 - static_cast<double>(i))) *
                std::pow(1.0 / static_cast<double>(ranks), i) * std::pow(1 - 1.0 / static_cast<double>(ranks), 40 - i);
      }
      CHECK(chance_of_worst(40, ranks, worst) == doctest::Approx(std::min(1.0, static_cast<double>(ranks) * tail)).epsilon(1e-9));
    }
  }
  const double many = chance_of_worst(100'000, 2, 50'500);
  CHECK(many > 0.001);
  CHECK(many < 0.002);
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
  const auto not_asked = find_stragglers(table(always), std::vector<std::optional<TimePs>>(3), 1000);
  CHECK(not_asked[1].pattern == Pattern::none);
}

TEST_CASE("steps that stand out") {
  std::vector<std::vector<TimePs>> blame;
  for (TimePs k = 0; k < 12; ++k) blame.push_back({100 + k % 3, 100 + (k + 1) % 3, 100 + (k + 2) % 3});
  blame[2][0] = blame[7][0] = 900;
  const auto ranks = judged(blame, 0, 12'000);  // 1 % of a step: 10, of two others: 20
  CHECK(ranks[0].pattern == Pattern::intermittent);
  CHECK(ranks[0].outlier_steps == std::vector<std::uint32_t>{2, 7});
  CHECK(ranks[1].pattern == Pattern::none);
  CHECK(ranks[1].outlier_steps.empty());
  // The same in a job whose steps are long: what stands out is not worth mentioning.
  CHECK(judged(blame, 0, 12'000'000)[0].pattern == Pattern::none);
}

TEST_CASE("nobody is the worst of a step without waiting") {
  const BlameBySteps steps = table({{0, 0}, {0, 3}});
  CHECK_FALSE(steps.worst(0).has_value());
  CHECK(steps.worst(1) == 1U);
  CHECK(table({{4, 4}}).worst(0) == 0U);
}

#include "llm/backtest/step_interval.h"

#include <doctest/doctest.h>

#include <cmath>

namespace orrery::llm {
namespace {

ModelRatios models_at(std::initializer_list<double> ratios, int rows) {
  ModelRatios all;
  for (const double ratio : ratios) all[std::to_string(all.size())] = std::vector<double>(rows, ratio);
  return all;
}

}  // namespace

TEST_CASE("the interval of a further model is Student's over models, however many rows each has") {
  const auto few = interval_over_models("k", models_at({0.9, 1.0, 1.1}, 3));
  const auto many = interval_over_models("k", models_at({0.9, 1.0, 1.1}, 300));
  REQUIRE(few);
  REQUIRE(many);
  CHECK(few->low_ratio == many->low_ratio);
  CHECK(few->high_ratio == many->high_ratio);
  CHECK(many->rows == 900);
  // t with two degrees of freedom, of logarithms with a deviation of 0.1004 around -0.0033.
  CHECK(few->high_ratio == doctest::Approx(std::exp(-0.003350 + 1.886 * 0.100378 * std::sqrt(4.0 / 3))).epsilon(1e-4));
}

TEST_CASE("rows that scatter inside a model widen it; two models or eight rows say nothing") {
  ModelRatios scattered = models_at({1.0, 1.0, 1.0}, 0);
  for (auto& [model, list] : scattered) list = {0.8, 1.0, 1.25};
  const auto interval = interval_over_models("k", scattered);
  REQUIRE(interval);
  CHECK(interval->low_ratio < 0.85);
  CHECK(interval->high_ratio > 1.18);
  CHECK_FALSE(interval_over_models("k", models_at({0.9, 1.1}, 100)));
  CHECK_FALSE(interval_over_models("k", models_at({0.9, 1.0}, 4)));
}

TEST_CASE("an interval holds the prediction, though all models were off to one side") {
  const auto interval = interval_over_models("k", models_at({1.3, 1.31, 1.32}, 9));
  REQUIRE(interval);
  CHECK(interval->low_ratio == 1.0);
  CHECK(interval->high_ratio > 1.3);
}

}  // namespace orrery::llm

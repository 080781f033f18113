#include "align/node_smoother.h"

#include <doctest/doctest.h>

#include <random>

namespace orrery::align {

TEST_CASE("the variances of a node's unknowns are the diagonal of the inverse of its normal matrix") {
  constexpr std::size_t kKnots = 40, kSteps = 2;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  NodeSmoother smoother(kKnots, kSteps);
  for (int i = 0; i < 100; ++i) {
    const auto knot = static_cast<std::uint32_t>(uniform(random) * (kKnots - 1));
    smoother.add({knot, knot < 10 ? 0u : knot < 25 ? 1u : 2u, uniform(random)}, uniform(random));
  }
  std::vector<double> bends(kKnots);
  for (double& weight : bends) weight = 0.1 + uniform(random);
  smoother.factor(0.01, bends);
  const std::vector<double> variances = smoother.inverse_diagonal();
  REQUIRE(variances.size() == kKnots + kSteps);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(kKnots + kSteps);
    unit[static_cast<Eigen::Index>(i)] = 1;
    CHECK(variances[i] == doctest::Approx(smoother.solve(unit)[static_cast<Eigen::Index>(i)]).epsilon(1e-9));
  }
}

TEST_CASE("two steps with nothing between them leave the variances of the knots as they are") {
  const std::vector<double> bends(30, 1e-4);
  NodeSmoother apart(30, 2), one(30, 1);
  for (std::uint32_t knot = 0; knot < 29; ++knot) {
    apart.add({knot, knot < 15 ? 0u : 2u, 0.5}, 1e-6);
    one.add({knot, knot < 15 ? 0u : 1u, 0.5}, 1e-6);
  }
  apart.factor(1e-12, bends);
  one.factor(1e-12, bends);
  const std::vector<double> expected = one.inverse_diagonal(), variances = apart.inverse_diagonal();
  for (std::size_t k = 0; k < 30; ++k) CHECK(variances[k] == doctest::Approx(expected[k]).epsilon(1e-3));
}

}  // namespace orrery::align

#include "align/node_smoother.h"

#include <doctest/doctest.h>

#include <vector>

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
  smoother.factor(0.01, std::vector<double>(kKnots, 0.3));
  const std::vector<double> variances = smoother.inverse_diagonal();
  REQUIRE(variances.size() == kKnots + kSteps);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(kKnots + kSteps);
    unit[static_cast<Eigen::Index>(i)] = 1;
    CHECK(variances[i] == doctest::Approx(smoother.solve(unit)[static_cast<Eigen::Index>(i)]).epsilon(1e-9));
  }
}

}  // namespace orrery::align

#include "align/node_smoother.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <random>
#include <vector>

namespace orrery::align {
namespace {

constexpr std::size_t kKnots = 40;
const std::vector<std::size_t> kSteps = {0, 2, 1};

/// Random observations of three nodes and a random prior, with the matrix of every node's unknowns made from the
/// formulas.
struct SmoothingProblem {
  NodeSmoothers smoothers{kKnots, kSteps};
  Smoothness smoothness{0.01, Eigen::VectorXd::Zero(kKnots * 3)};
  std::vector<Eigen::MatrixXd> matrices;
  Eigen::VectorXd is_unknown = Eigen::VectorXd::Ones(3);

  SmoothingProblem() {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t node = 0; node < kSteps.size(); ++node) {
      const auto width = static_cast<Eigen::Index>(kKnots + kSteps[node]);
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(width, width);
      const auto add_square = [&](const Eigen::VectorXd& row, double weight) {
        matrix += weight * row * row.transpose();
      };
      for (int i = 0; i < 100; ++i) {
        const auto knot = static_cast<std::uint32_t>(uniform(random) * (kKnots - 1));
        const std::uint32_t passed = knot < 10 ? 0u : knot < 25 ? 1u : 2u;
        const Place at{knot, std::min(passed, static_cast<std::uint32_t>(kSteps[node])), uniform(random)};
        const double weight = uniform(random);
        smoothers.add(node, at, weight);
        Eigen::VectorXd row = Eigen::VectorXd::Zero(width);
        row[knot] = 1 - at.fraction, row[knot + 1] = at.fraction;
        row.segment(kKnots, at.steps).setOnes();
        add_square(row, weight);
      }
      for (Eigen::Index k = 0; k + 1 < static_cast<Eigen::Index>(kKnots); ++k) {
        Eigen::VectorXd row = Eigen::VectorXd::Zero(width);
        row[k] = -1, row[k + 1] = 1;
        add_square(row, smoothness.slope);
        if (k == 0) continue;
        const double bend = smoothness.bends[k * 3 + static_cast<Eigen::Index>(node)] = 0.1 + uniform(random);
        row[k - 1] = 1, row[k] = -2, row[k + 1] = 1;
        add_square(row, bend);
      }
      matrices.push_back(matrix);
    }
  }
};

}  // namespace

TEST_CASE("the unknowns of every node solve its normal equations, all together and each by itself") {
  SmoothingProblem problem;
  problem.smoothers.factor(problem.smoothness, problem.is_unknown);
  const Eigen::VectorXd right_sides = Eigen::VectorXd::LinSpaced(kKnots * 3 + 3, -1, 2).array().sin();
  Eigen::VectorXd together(right_sides.size());
  problem.smoothers.solve(right_sides, together);
  Eigen::Index step = kKnots * 3;
  for (std::size_t node = 0; node < kSteps.size(); ++node) {
    const auto steps = static_cast<Eigen::Index>(kSteps[node]);
    Eigen::VectorXd right(static_cast<Eigen::Index>(kKnots) + steps), solution(right.size());
    for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(kKnots); ++k) {
      right[k] = right_sides[k * 3 + static_cast<Eigen::Index>(node)];
      solution[k] = together[k * 3 + static_cast<Eigen::Index>(node)];
    }
    right.tail(steps) = right_sides.segment(step, steps);
    solution.tail(steps) = together.segment(step, steps);
    step += steps;
    const Eigen::VectorXd expected = problem.matrices[node].fullPivLu().solve(right);
    CHECK((solution - expected).norm() < 1e-9 * expected.norm());
    CHECK((problem.smoothers.of_node(node).solve(right) - expected).norm() < 1e-9 * expected.norm());
  }
}

TEST_CASE("the variances of a node's unknowns are the diagonal of the inverse of its normal matrix") {
  SmoothingProblem problem;
  problem.smoothers.factor(problem.smoothness, problem.is_unknown);
  for (std::size_t node = 0; node < kSteps.size(); ++node) {
    const Eigen::MatrixXd inverse = problem.matrices[node].inverse();
    const std::vector<double> variances = problem.smoothers.of_node(node).inverse_diagonal();
    REQUIRE(variances.size() == kKnots + kSteps[node]);
    for (std::size_t i = 0; i < variances.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      CHECK(variances[i] == doctest::Approx(inverse(at, at)).epsilon(1e-9));
    }
  }
}

TEST_CASE("one observation of every node is the same as each of them") {
  const std::vector<std::size_t> no_steps(5, 0);
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  NodeSmoothers at_once(3, no_steps), one_by_one(3, no_steps);
  for (const Place& at : {Place{0, 0, 0.25}, Place{1, 0, 0.5}}) {
    at_once.add_to_all(at, weights);
    for (std::size_t node = 0; node < 5; ++node) one_by_one.add(node, at, weights[node]);
  }
  const Smoothness smoothness{0.1, Eigen::VectorXd::Zero(15)};
  const Eigen::VectorXd right_sides = Eigen::VectorXd::LinSpaced(15, 1, 15);
  Eigen::VectorXd expected(15), solved(15);
  at_once.factor(smoothness, Eigen::VectorXd::Ones(5));
  one_by_one.factor(smoothness, Eigen::VectorXd::Ones(5));
  at_once.solve(right_sides, solved);
  one_by_one.solve(right_sides, expected);
  CHECK((solved - expected).norm() < 1e-12 * expected.norm());
}

TEST_CASE("a node that nothing holds does no harm to the others when it is none of the unknown ones") {
  NodeSmoothers smoothers(4, std::vector<std::size_t>{0, 0});
  for (std::uint32_t knot = 0; knot < 3; ++knot) smoothers.add(1, {knot, 0, 0.5}, 1);
  Eigen::VectorXd is_unknown(2), solved(8);
  is_unknown << 0, 1;
  smoothers.factor({0, Eigen::VectorXd::Ones(8)}, is_unknown);
  smoothers.solve(Eigen::VectorXd::Ones(8), solved);
  CHECK(solved.allFinite());
}

TEST_CASE("two steps with nothing between them leave the variances of the knots as they are") {
  const Smoothness smoothness{1e-12, Eigen::VectorXd::Constant(30, 1e-4)};
  NodeSmoothers apart(30, std::vector<std::size_t>{2}), one(30, std::vector<std::size_t>{1});
  for (std::uint32_t knot = 0; knot < 29; ++knot) {
    apart.add(0, {knot, knot < 15 ? 0u : 2u, 0.5}, 1e-6);
    one.add(0, {knot, knot < 15 ? 0u : 1u, 0.5}, 1e-6);
  }
  apart.factor(smoothness, Eigen::VectorXd::Ones(1));
  one.factor(smoothness, Eigen::VectorXd::Ones(1));
  const std::vector<double> expected = one.of_node(0).inverse_diagonal(),
                            variances = apart.of_node(0).inverse_diagonal();
  for (std::size_t k = 0; k < 30; ++k) CHECK(variances[k] == doctest::Approx(expected[k]).epsilon(1e-3));
}

}  // namespace orrery::align

// The smoothing problem of one node's clock: its knots and steps, held together by a prior and pulled by its observations.
#pragma once

#include <Eigen/SparseCholesky>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "align/clock_basis.h"

namespace orrery::align {

/// The normal equations are two diagonals and a row per step: summing is O(1) per observation, solving linear in the knots.
class NodeSmoother {
 public:
  NodeSmoother(std::size_t knots, std::size_t steps)
      : diagonal_(knots, 0.0), below_(knots, 0.0), step_rows_(steps * (knots + steps), 0.0), width_(knots + steps) {}

  /// Forgets the observations.
  void clear();
  void add(const Place& at, double weight);
  /// `slope_weight` of first differences, `bend_weights[k]` of the second difference around knot k.
  void factor(double slope_weight, std::span<const double> bend_weights);
  /// After factor(): the unknowns (knots, then steps) for a right-hand side.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right_side) const { return factor_->solve(right_side); }
  /// After factor(): the diagonal of the inverse, by unknown, that is: the variances of the unknowns.
  [[nodiscard]] std::vector<double> inverse_diagonal() const;

 private:
  std::vector<double> diagonal_, below_;  // below_[k]: knot k + 1 against knot k
  std::vector<double> step_rows_;         // per step: its sums with all knots, then with the steps before it and itself
  std::size_t width_;
  std::unique_ptr<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> factor_;
};

}  // namespace orrery::align

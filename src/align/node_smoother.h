// The smoothing problem of every node's clock: its knots and steps, held together by a prior and pulled by its
// observations, the other clocks taken for known.
//
// Of one node, with its knots k and the jumps s of its steps, the normal equations are
//
//   | A   B | |k|   |r_k|      A: bandwidth two (an observation ties two knots together, a second difference three)
//   | B^T H | |s| = |r_s|      B: a column per step; H_st: the weight of what was observed after both steps
//
// and are solved by the Schur complement of the steps, S = H - B^T V with V = A^-1 B: s = S^-1 (r_s - B^T A^-1 r_k), k
// = A^-1 r_k - V s.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "align/clock_basis.h"

namespace orrery::align {

// Many symmetric positive definite systems of bandwidth two, solved side by side: A x = r for each of them, with A = L
// D L^T.
//
//       | a0 b0 c0       |      L is 1 on its diagonal and has the two bands l and m below it:
//       | b0 a1 b1 c1    |        d_k = a_k - l_{k-1}^2 d_{k-1} - m_{k-2}^2 d_{k-2}
//   A = | c0 b1 a2 b2 .. |        l_k = (b_k - l_{k-1} d_{k-1} m_{k-1}) / d_k
//       |    c1 b2 a3 .. |        m_k = c_k / d_k
//
// Each row needs the two rows before it, so that one system alone waits for every multiplication. Row k of all systems
// lies together instead: the loops run over systems, which do not depend on one another, through memory in order.

/// One system of a BandSystems, factored, in memory of its own: for what is asked of a few systems many times.
struct BandFactor {
  std::vector<double> inverse_pivot, first, second;  ///< 1 / d, l, m

  void solve(std::span<double> right_side) const;
  /// The diagonal of the inverse, in time linear in the rows.
  [[nodiscard]] std::vector<double> inverse_diagonal() const;
};

/// Vectors of right-hand sides and of solutions are ordered as the matrices are: row after row, of all systems each. A
/// range of systems can be worked on while another thread works on another range.
class BandSystems {
 public:
  using Row = Eigen::ArrayXXd::ColXpr;

  BandSystems(std::size_t rows, std::size_t systems);

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(diagonal_.cols()); }
  [[nodiscard]] std::size_t systems() const { return static_cast<std::size_t>(diagonal_.rows()); }

  /// The matrices, to be filled before factor(), by row: a, b and c of the formula. factor() leaves 1 / d, l and m in
  /// their place.
  Row diagonal(std::size_t row) { return diagonal_.col(static_cast<Eigen::Index>(row)); }
  Row first(std::size_t row) { return first_.col(static_cast<Eigen::Index>(row)); }
  Row second(std::size_t row) { return second_.col(static_cast<Eigen::Index>(row)); }
  void set_zero();

  void factor(std::size_t begin, std::size_t end);
  /// `right_sides` and `solutions` may be the same memory.
  void solve(const double* right_sides, double* solutions, std::size_t begin, std::size_t end) const;
  [[nodiscard]] BandFactor factor_of(std::size_t system) const;

 private:
  Eigen::ArrayXXd diagonal_, first_, second_;  // a column per row of the matrices
};

/// One node's part of NodeSmoothers, in memory of its own.
class NodeSmoother {
 public:
  /// The unknowns (knots, then steps) for a right-hand side.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right_side) const;
  /// The diagonal of the inverse, by unknown, that is: the variances of the unknowns.
  [[nodiscard]] std::vector<double> inverse_diagonal() const;

 private:
  friend class NodeSmoothers;
  BandFactor band_;
  Eigen::MatrixXd columns_, solved_;           // B and V; no columns without steps
  Eigen::LDLT<Eigen::MatrixXd> complement_{};  // of S
};

/// Summing is O(1) per observation and step before it, factoring and solving linear in the knots of all nodes. Vectors
/// are ordered as ClockBasis has them.
class NodeSmoothers {
 public:
  /// `steps`: how many each node has.
  NodeSmoothers(std::size_t knots, std::span<const std::size_t> steps);

  /// Forgets the observations.
  void clear();
  /// Adds an observation of `node`. Threads may add at the same time where no knot, nor the one after it, is the same.
  void add(std::size_t node, const Place& at, double weight);
  /// Adds one observation of every node, none of which is after a step, with a weight each.
  void add_to_all(const Place& at, std::span<const double> weights);
  /// Once after the observations were added: the prior, and the factors of all nodes. A node with `is_unknown` 0 is
  /// held at 0: it need not be held by anything else.
  void factor(const Smoothness& smoothness, const Eigen::VectorXd& is_unknown);
  /// After factor(): the unknowns of all nodes for right-hand sides.
  void solve(const Eigen::VectorXd& right_sides, Eigen::VectorXd& solutions) const;
  /// After factor(): a node by itself.
  [[nodiscard]] NodeSmoother of_node(std::size_t node) const;

 private:
  /// What a node with steps has besides its knots.
  struct Border {
    Eigen::Index first_step = 0;      // in vectors of all unknowns
    Eigen::MatrixXd columns, solved;  // B and V
    Eigen::LDLT<Eigen::MatrixXd> complement;
  };

  void add_prior(const Smoothness& smoothness, const Eigen::VectorXd& is_unknown, std::size_t begin, std::size_t end);
  void factor_border(std::size_t node, Border& border) const;
  void solve_border(std::size_t node, const Border& border, const Eigen::VectorXd& right_sides,
                    Eigen::VectorXd& solutions) const;

  BandSystems bands_;
  std::vector<std::unique_ptr<Border>> borders_;  // by node; null without steps
};

}  // namespace orrery::align

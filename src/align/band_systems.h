// Many symmetric positive definite systems of bandwidth two, solved side by side: A x = r for each of them, with A = L D L^T.
//
//       | a0 b0 c0       |      L is 1 on its diagonal and has the two bands l and m below it:
//       | b0 a1 b1 c1    |        d_k = a_k - l_{k-1}^2 d_{k-1} - m_{k-2}^2 d_{k-2}
//   A = | c0 b1 a2 b2 .. |        l_k = (b_k - l_{k-1} d_{k-1} m_{k-1}) / d_k
//       |    c1 b2 a3 .. |        m_k = c_k / d_k
//
// Each row needs the two rows before it, so that one system alone waits for every multiplication. Row k of all systems lies together
// instead: the loops run over systems, which do not depend on one another, through memory in order.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace orrery::align {

/// One system of a BandSystems, factored, in memory of its own: for what is asked of a few systems many times.
struct BandFactor {
  std::vector<double> inverse_pivot, first, second;  ///< 1 / d, l, m

  void solve(std::span<double> right_side) const;
  /// The diagonal of the inverse, in time linear in the rows.
  [[nodiscard]] std::vector<double> inverse_diagonal() const;
};

/// Vectors of right-hand sides and of solutions are ordered as the matrices are: row after row, of all systems each. A range of systems
/// can be worked on while another thread works on another range.
class BandSystems {
 public:
  using Row = Eigen::ArrayXXd::ColXpr;

  BandSystems(std::size_t rows, std::size_t systems);

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(diagonal_.cols()); }
  [[nodiscard]] std::size_t systems() const { return static_cast<std::size_t>(diagonal_.rows()); }

  /// The matrices, to be filled before factor(), by row: a, b and c of the formula. factor() leaves 1 / d, l and m in their place.
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

}  // namespace orrery::align

#include "align/band_systems.h"

namespace orrery::align {

void BandFactor::solve(std::span<double> x) const {
  const std::size_t rows = x.size();
  for (std::size_t k = 0; k + 1 < rows; ++k) {
    x[k + 1] -= first[k] * x[k];
    if (k + 2 < rows) x[k + 2] -= second[k] * x[k];
  }
  for (std::size_t k = rows; k-- > 0;) {
    x[k] *= inverse_pivot[k];
    if (k + 1 < rows) x[k] -= first[k] * x[k + 1];
    if (k + 2 < rows) x[k] -= second[k] * x[k + 2];
  }
}

/// Of the inverse Z only the bands of L are needed (Takahashi's equations): column k of Z follows from the two columns after it,
/// Z_ik = [i = k] / d_k - Z_{i,k+1} l_k - Z_{i,k+2} m_k.
std::vector<double> BandFactor::inverse_diagonal() const {
  const std::size_t rows = inverse_pivot.size();
  std::vector<double> diagonal(rows);
  double next = 0, after_next = 0, between = 0;  // Z_{k+1,k+1}, Z_{k+2,k+2}, Z_{k+2,k+1}
  for (std::size_t k = rows; k-- > 0;) {
    const double l = k + 1 < rows ? first[k] : 0, m = k + 2 < rows ? second[k] : 0;
    const double one_below = -next * l - between * m, two_below = -between * l - after_next * m;
    diagonal[k] = inverse_pivot[k] - one_below * l - two_below * m;
    after_next = next;
    next = diagonal[k];
    between = one_below;
  }
  return diagonal;
}

BandSystems::BandSystems(std::size_t rows, std::size_t systems)
    : diagonal_(static_cast<Eigen::Index>(systems), static_cast<Eigen::Index>(rows)),
      first_(diagonal_.rows(), diagonal_.cols()),
      second_(diagonal_.rows(), diagonal_.cols()) {
  set_zero();
}

void BandSystems::set_zero() {
  for (Eigen::ArrayXXd* band : {&diagonal_, &first_, &second_}) band->setZero();
}

void BandSystems::factor(std::size_t begin, std::size_t end) {
  const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin), rows = diagonal_.cols();
  const auto part = [&](Eigen::ArrayXXd& band, Eigen::Index row) { return band.col(row).segment(from, count); };
  Eigen::ArrayXd pivot(count), before(count), two_before(count);  // d_k, d_{k-1}, d_{k-2}
  for (Eigen::Index k = 0; k < rows; ++k) {
    pivot = part(diagonal_, k);
    if (k >= 1) pivot -= part(first_, k - 1).square() * before;
    if (k >= 2) pivot -= part(second_, k - 2).square() * two_before;
    if (k >= 1) part(first_, k) -= part(first_, k - 1) * before * part(second_, k - 1);
    part(diagonal_, k) = pivot.inverse();
    part(first_, k) *= part(diagonal_, k);
    part(second_, k) *= part(diagonal_, k);
    two_before.swap(before);
    before.swap(pivot);
  }
}

void BandSystems::solve(const double* right_sides, double* solutions, std::size_t begin, std::size_t end) const {
  const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin), rows = diagonal_.cols();
  const Eigen::Map<const Eigen::ArrayXXd> right(right_sides, diagonal_.rows(), rows);
  Eigen::Map<Eigen::ArrayXXd> x(solutions, diagonal_.rows(), rows);
  const auto part = [&](auto& of, Eigen::Index row) { return of.col(row).segment(from, count); };
  part(x, 0) = part(right, 0);
  if (rows > 1) part(x, 1) = part(right, 1) - part(first_, 0) * part(x, 0);
  for (Eigen::Index k = 2; k < rows; ++k)
    part(x, k) = part(right, k) - part(first_, k - 1) * part(x, k - 1) - part(second_, k - 2) * part(x, k - 2);
  part(x, rows - 1) *= part(diagonal_, rows - 1);
  if (rows > 1) part(x, rows - 2) = part(x, rows - 2) * part(diagonal_, rows - 2) - part(first_, rows - 2) * part(x, rows - 1);
  for (Eigen::Index k = rows - 3; k >= 0; --k)
    part(x, k) = part(x, k) * part(diagonal_, k) - part(first_, k) * part(x, k + 1) - part(second_, k) * part(x, k + 2);
}

BandFactor BandSystems::factor_of(std::size_t system) const {
  const auto take = [&](const Eigen::ArrayXXd& band) {
    std::vector<double> values(rows());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = band(static_cast<Eigen::Index>(system), static_cast<Eigen::Index>(k));
    return values;
  };
  return {take(diagonal_), take(first_), take(second_)};
}

}  // namespace orrery::align

#include "align/node_smoother.h"

#include "align/clock_basis.h"

// Bands of all nodes are factored side by side, knot by knot (LDL^T of bandwidth two), so that a processor works on
// many nodes with one instruction. Steps of a clock are few and border the band: they are eliminated by their Schur
// complement.

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

/// Of the inverse Z only the bands of L are needed (Takahashi's equations): column k of Z follows from the two columns
/// after it, Z_ik = [i = k] / d_k - Z_{i,k+1} l_k - Z_{i,k+2} m_k.
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
  const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin),
             rows = diagonal_.cols();
  const auto part = [&](Eigen::ArrayXXd& band, Eigen::Index row) { return band.col(row).segment(from, count); };
  Eigen::ArrayXd pivot(count), before(count), two_before(count);  // d_k, d_{k-1}, d_{k-2}
  for (Eigen::Index k = 0; k < rows; ++k) {
    pivot = part(diagonal_, k);
    if (k >= 1) pivot -= part(first_, k - 1).square() * before;
    if (k >= 2) pivot -= part(second_, k - 2).square() * two_before;
    // The fill of the first band by the second; the second has none, being the outermost.
    if (k >= 1) part(first_, k) -= part(first_, k - 1) * before * part(second_, k - 1);
    part(diagonal_, k) = pivot.inverse();
    part(first_, k) *= part(diagonal_, k);
    part(second_, k) *= part(diagonal_, k);
    two_before.swap(before);
    before.swap(pivot);
  }
}

void BandSystems::solve(const double* right_sides, double* solutions, std::size_t begin, std::size_t end) const {
  const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin),
             rows = diagonal_.cols();
  const Eigen::Map<const Eigen::ArrayXXd> right(right_sides, diagonal_.rows(), rows);
  Eigen::Map<Eigen::ArrayXXd> x(solutions, diagonal_.rows(), rows);
  const auto part = [&](auto& of, Eigen::Index row) { return of.col(row).segment(from, count); };
  part(x, 0) = part(right, 0);
  if (rows > 1) part(x, 1) = part(right, 1) - part(first_, 0) * part(x, 0);
  for (Eigen::Index k = 2; k < rows; ++k)
    part(x, k) = part(right, k) - part(first_, k - 1) * part(x, k - 1) - part(second_, k - 2) * part(x, k - 2);
  part(x, rows - 1) *= part(diagonal_, rows - 1);
  if (rows > 1)
    part(x, rows - 2) = part(x, rows - 2) * part(diagonal_, rows - 2) - part(first_, rows - 2) * part(x, rows - 1);
  for (Eigen::Index k = rows - 3; k >= 0; --k)
    part(x, k) = part(x, k) * part(diagonal_, k) - part(first_, k) * part(x, k + 1) - part(second_, k) * part(x, k + 2);
}

BandFactor BandSystems::factor_of(std::size_t system) const {
  const auto take = [&](const Eigen::ArrayXXd& band) {
    std::vector<double> values(rows());
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = band(static_cast<Eigen::Index>(system), static_cast<Eigen::Index>(k));
    return values;
  };
  return {take(diagonal_), take(first_), take(second_)};
}

namespace {

using Eigen::Index;

// Per ns^2: a step of 10 ms is as good as any. It keeps two steps with nothing in between solvable, and their variance
// from drowning those of the knots in rounding.
constexpr double kStepWeight = 1e-14;

}  // namespace

// The border is solved first, by the complement; knots then follow from the band.
Eigen::VectorXd NodeSmoother::solve(const Eigen::VectorXd& right_side) const {
  const auto knots = static_cast<Index>(band_.inverse_pivot.size());
  Eigen::VectorXd x = right_side;
  band_.solve({x.data(), static_cast<std::size_t>(knots)});
  if (columns_.cols() == 0) return x;
  x.tail(columns_.cols()) = complement_.solve(right_side.tail(columns_.cols()) - columns_.transpose() * x.head(knots));
  x.head(knots) -= solved_ * x.tail(columns_.cols());
  return x;
}

/// The inverse of the whole is A^-1 + V S^-1 V^T for the knots, and S^-1 for the steps.
std::vector<double> NodeSmoother::inverse_diagonal() const {
  std::vector<double> variances = band_.inverse_diagonal();
  if (columns_.cols() == 0) return variances;
  const Eigen::MatrixXd inverse = complement_.solve(Eigen::MatrixXd::Identity(columns_.cols(), columns_.cols()));
  for (std::size_t k = 0; k < variances.size(); ++k) {
    const auto row = solved_.row(static_cast<Index>(k));
    variances[k] += row.dot(row * inverse);
  }
  for (Index s = 0; s < inverse.rows(); ++s) variances.push_back(inverse(s, s));
  return variances;
}

NodeSmoothers::NodeSmoothers(std::size_t knots, std::span<const std::size_t> steps)
    : bands_(knots, steps.size()), borders_(steps.size()) {
  auto first_step = static_cast<Index>(knots * steps.size());
  for (std::size_t node = 0; node < steps.size(); ++node) {
    if (steps[node] == 0) continue;
    const auto count = static_cast<Index>(steps[node]);
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(static_cast<Index>(knots), count);
    borders_[node] = std::make_unique<Border>();
    borders_[node]->first_step = first_step;
    borders_[node]->columns = borders_[node]->solved = none;
    first_step += count;
  }
}

void NodeSmoothers::clear() {
  bands_.set_zero();
  for (const auto& border : borders_) {
    if (border) border->columns.setZero();
  }
}

void NodeSmoothers::add(std::size_t node, const Place& at, double weight) {
  const double a = 1 - at.fraction, b = at.fraction;
  const auto system = static_cast<Index>(node);
  bands_.diagonal(at.knot)[system] += weight * a * a;
  bands_.first(at.knot)[system] += weight * a * b;
  bands_.diagonal(at.knot + 1)[system] += weight * b * b;
  for (Index s = 0; s < static_cast<Index>(at.steps); ++s) {
    borders_[node]->columns(at.knot, s) += weight * a;
    borders_[node]->columns(at.knot + 1, s) += weight * b;
  }
}

void NodeSmoothers::add_to_all(const Place& at, std::span<const double> weights) {
  const double a = 1 - at.fraction, b = at.fraction;
  const Eigen::Map<const Eigen::ArrayXd> weight(weights.data(), static_cast<Index>(weights.size()));
  bands_.diagonal(at.knot) += a * a * weight;
  bands_.first(at.knot) += a * b * weight;
  bands_.diagonal(at.knot + 1) += b * b * weight;
}

void NodeSmoothers::factor(const Smoothness& smoothness, const Eigen::VectorXd& is_unknown) {
  for_node_ranges(bands_.rows(), bands_.systems(), [&](std::size_t begin, std::size_t end) {
    add_prior(smoothness, is_unknown, begin, end);
    bands_.factor(begin, end);
    for (std::size_t node = begin; node < end; ++node) {
      if (borders_[node]) factor_border(node, *borders_[node]);
    }
  });
}

/// First differences, (-1 1), and second differences around every knot but the ends, (1 -2 1), as squares summed into
/// the bands.
void NodeSmoothers::add_prior(const Smoothness& smoothness, const Eigen::VectorXd& is_unknown, std::size_t begin,
                              std::size_t end) {
  const auto from = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
  const std::size_t knots = bands_.rows();
  const auto width = static_cast<Index>(bands_.systems());
  // Weight 1 is far above any observation's (one over ns^2): whatever holds the node or not, its pivots are positive.
  const Eigen::ArrayXd held = 1 - is_unknown.segment(from, count).array();
  for (std::size_t k = 0; k < knots; ++k) {
    bands_.diagonal(k).segment(from, count) += held;
    if (k + 1 == knots) break;
    bands_.diagonal(k).segment(from, count) += smoothness.slope;
    bands_.first(k).segment(from, count) -= smoothness.slope;
    bands_.diagonal(k + 1).segment(from, count) += smoothness.slope;
    if (k == 0) continue;
    const auto bend = smoothness.bends.segment(static_cast<Index>(k) * width + from, count).array();
    bands_.diagonal(k - 1).segment(from, count) += bend;
    bands_.first(k - 1).segment(from, count) -= 2 * bend;
    bands_.second(k - 1).segment(from, count) += bend;
    bands_.diagonal(k).segment(from, count) += 4 * bend;
    bands_.first(k).segment(from, count) -= 2 * bend;
    bands_.diagonal(k + 1).segment(from, count) += bend;
  }
}

void NodeSmoothers::factor_border(std::size_t node, Border& border) const {
  const BandFactor band = bands_.factor_of(node);
  const Index steps = border.columns.cols();
  border.solved = border.columns;
  for (Index s = 0; s < steps; ++s) band.solve({border.solved.col(s).data(), bands_.rows()});
  Eigen::MatrixXd complement = -border.columns.transpose() * border.solved;
  for (Index s = 0; s < steps; ++s) {
    complement(s, s) += kStepWeight;
    // An observation's parts at its two knots add up to its weight: a column's sum is the weight of all that was
    // observed after the step.
    for (Index t = 0; t < steps; ++t) complement(s, t) += border.columns.col(std::max(s, t)).sum();
  }
  border.complement.compute(complement);
}

void NodeSmoothers::solve(const Eigen::VectorXd& right_sides, Eigen::VectorXd& solutions) const {
  for_node_ranges(bands_.rows(), bands_.systems(), [&](std::size_t begin, std::size_t end) {
    bands_.solve(right_sides.data(), solutions.data(), begin, end);
    for (std::size_t node = begin; node < end; ++node) {
      if (borders_[node]) solve_border(node, *borders_[node], right_sides, solutions);
    }
  });
}

void NodeSmoothers::solve_border(std::size_t node, const Border& border, const Eigen::VectorXd& right_sides,
                                 Eigen::VectorXd& solutions) const {
  const auto knots = static_cast<Index>(bands_.rows()), width = static_cast<Index>(bands_.systems());
  Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>> x(solutions.data() + node, knots, Eigen::InnerStride<>(width));
  auto steps = solutions.segment(border.first_step, border.columns.cols());
  steps = border.complement.solve(right_sides.segment(border.first_step, border.columns.cols()) -
                                  border.columns.transpose() * x);
  x -= border.solved * steps;
}

NodeSmoother NodeSmoothers::of_node(std::size_t node) const {
  NodeSmoother one;
  one.band_ = bands_.factor_of(node);
  if (!borders_[node]) return one;
  one.columns_ = borders_[node]->columns;
  one.solved_ = borders_[node]->solved;
  one.complement_ = borders_[node]->complement;
  return one;
}

}  // namespace orrery::align

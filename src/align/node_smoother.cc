#include "align/node_smoother.h"

#include "align/node_ranges.h"

namespace orrery::align {
namespace {

using Eigen::Index;

// Per ns^2: a step of 10 ms is as good as any. It keeps two steps with nothing in between solvable, and their variance from drowning those of
// the knots in rounding.
constexpr double kStepWeight = 1e-14;

}  // namespace

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

NodeSmoothers::NodeSmoothers(std::size_t knots, std::span<const std::size_t> steps) : bands_(knots, steps.size()), borders_(steps.size()) {
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

/// First differences, (-1 1), and second differences around every knot but the ends, (1 -2 1), as squares summed into the bands.
void NodeSmoothers::add_prior(const Smoothness& smoothness, const Eigen::VectorXd& is_unknown, std::size_t begin, std::size_t end) {
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
    // An observation's parts at its two knots add up to its weight: a column's sum is the weight of all that was observed after the step.
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
  steps = border.complement.solve(right_sides.segment(border.first_step, border.columns.cols()) - border.columns.transpose() * x);
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

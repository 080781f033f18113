#include "align/clock_basis.h"

#include <algorithm>
#include <cmath>

namespace orrery::align {
namespace {

// The unknowns are knots times nodes: a limit to memory and time.
constexpr std::size_t kMaxKnots = 4096;

}  // namespace

ClockBasis::ClockBasis(std::size_t nodes, const FitOptions& options)
    : reference_(options.reference), steps_(options.steps) {
  const double span = std::max(options.end_ns - options.begin_ns, 1.0);
  // Long recordings get wider spacings instead of more knots.
  spacing_ = std::max(options.spacing_ns, span / static_cast<double>(kMaxKnots));
  // More knots than the span needs, so that its ends lie between two of them.
  knots_ = static_cast<std::size_t>(std::ceil(span / spacing_)) + 2;
  first_knot_ = options.begin_ns - 0.5 * (static_cast<double>(knots_ - 1) * spacing_ - span);
  steps_.resize(nodes);
  first_step_.assign(nodes + 1, static_cast<Eigen::Index>(knots_ * nodes));
  for (std::size_t i = 0; i < nodes; ++i)
    first_step_[i + 1] = first_step_[i] + static_cast<Eigen::Index>(steps_[i].size());
}

Place ClockBasis::place_of_any(double reference_ns) const {
  // Beyond the ends the outermost knots hold.
  const double at = std::clamp((reference_ns - first_knot_) / spacing_, 0.0, static_cast<double>(knots_ - 1));
  const auto knot = std::min(static_cast<std::size_t>(at), knots_ - 2);
  return {static_cast<std::uint32_t>(knot), 0, at - static_cast<double>(knot)};
}

Eigen::VectorXd ClockBasis::of_node(const Eigen::VectorXd& x, std::size_t node) const {
  Eigen::VectorXd own(static_cast<Eigen::Index>(knots_ + steps_[node].size()));
  for (std::size_t k = 0; k < knots_; ++k)
    own[static_cast<Eigen::Index>(k)] = x[knot_unknown(k) + static_cast<Eigen::Index>(node)];
  for (std::size_t s = 0; s < steps_[node].size(); ++s)
    own[static_cast<Eigen::Index>(knots_ + s)] = x[step_unknown(node, s)];
  return own;
}

void ClockBasis::clear_reference(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < knots_; ++k) x[knot_unknown(k) + static_cast<Eigen::Index>(reference_)] = 0;
  for (std::size_t s = 0; s < steps_[reference_].size(); ++s) x[step_unknown(reference_, s)] = 0;
}

void ClockBasis::add_prior(const Smoothness& prior, const Eigen::VectorXd& x, Eigen::VectorXd& into) const {
  for_node_ranges(knots_, nodes(),
                  [&](std::size_t begin, std::size_t end) { add_prior_of(prior, x, into, begin, end); });
}

void ClockBasis::add_prior_of(const Smoothness& prior, const Eigen::VectorXd& x, Eigen::VectorXd& into,
                              std::size_t begin, std::size_t end) const {
  const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
  const auto knot = [&](std::size_t k) { return x.segment(knot_unknown(k) + from, count).array(); };
  const auto out = [&](std::size_t k) { return into.segment(knot_unknown(k) + from, count).array(); };
  Eigen::ArrayXd pull(count);
  for (std::size_t k = 0; k + 1 < knots_; ++k) {
    // Half of the derivative of a sum of squares: differences pull both of their ends.
    pull = prior.slope * (knot(k + 1) - knot(k));
    out(k + 1) += pull;
    out(k) -= pull;
    if (k == 0) continue;  // the first knot, like the last, has no second difference around it
    pull = prior.bends.segment(knot_unknown(k) + from, count).array() * (knot(k - 1) - 2 * knot(k) + knot(k + 1));
    out(k - 1) += pull;
    out(k) -= 2 * pull;
    out(k + 1) += pull;
  }
}

}  // namespace orrery::align

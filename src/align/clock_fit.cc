#include "align/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "align/clock_basis.h"
#include "align/disjoint_sets.h"
#include "align/node_smoother.h"
#include "align/robust.h"
#include "align/shared_events.h"
#include "base/statistics.h"

// Iteratively reweighted least squares. In each round: places of observations on the grid, weights by residuals (plain,
// then Huber's, then a redescending loss), weights of second differences by Student's t; then conjugate gradients,
// whose preconditioner solves each node by itself exactly, plus what all nodes have in common, which that leaves out.
// Moments of shared events are eliminated. Sums run over fixed ranges, so that the result is the same for any number of
// threads.

namespace orrery::align {
namespace {

using Eigen::VectorXd;

constexpr int kReweightings = 40;
constexpr int kPlainRounds =
    4;  // of least squares at first: how exact the observations are shows only after some rounds
constexpr int kMaxIterations = 400;
constexpr double kSolved = 1e-7;  // of the residual at the start is left by the first linear solve,
constexpr double kRoughlySolved =
    0.05;  // by those that follow, each from where the last one ended: their weights are not final,
constexpr double kRefined = 1e-3;   // and by the last
constexpr double kSettled = 0.002;  // change of a knot, in units of the residuals' scale, after which reweighting stops
constexpr double kBendFreedom = 4;  // degrees of freedom of Student's t, of which second differences are
constexpr double kSlopePriorPpm = 300;  // keeps a node with a single observation solvable; no crystal is that bad

/// A frequency that walks by `wander_ppm` per root second makes second differences with variance w^2 * h^3 * 2/3: one
/// over that.
double curvature_for(const FitOptions& options, double spacing_ns) {
  const double seconds = spacing_ns / 1e9;
  const double sigma = options.wander_ppm * 1e3 * std::pow(seconds, 1.5) * std::sqrt(2.0 / 3.0);  // ppm * s = 1e3 ns
  return 1 / (sigma * sigma);
}

std::vector<std::size_t> step_counts(const ClockBasis& basis) {
  std::vector<std::size_t> counts(basis.nodes());
  for (std::size_t node = 0; node < counts.size(); ++node) counts[node] = basis.steps(node).size();
  return counts;
}

/// The same for any number of threads.
double dot(const VectorXd& a, const VectorXd& b) {
  return sum_over_ranges(static_cast<std::size_t>(a.size()), [&](std::size_t begin, std::size_t end) {
    const auto from = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
    return a.segment(from, count).dot(b.segment(from, count));
  });
}

/// Calls body(begin, count) for ranges that cover 0 to `size`.
template <typename Body>
void for_ranges(Eigen::Index size, const Body& body) {
  sum_over_ranges(static_cast<std::size_t>(size), [&](std::size_t begin, std::size_t end) {
    body(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin));
    return 0.0;
  });
}

class JointFit {
 public:
  JointFit(const Observations& observations, const FitOptions& options)
      : in_(observations),
        options_(options),
        basis_(observations.nodes, options),
        events_(observations, basis_),
        most_curvature_(curvature_for(options, basis_.spacing_ns())),
        curvature_(most_curvature_),
        smoothers_(basis_.knots(), step_counts(basis_)),
        common_(basis_.knots(), std::vector<std::size_t>{0}) {
    for (VectorXd* vector : {&x_, &before_, &work_.r, &work_.z, &work_.p, &work_.image})
      vector->setZero(basis_.unknowns());
    // The prior of the slope is on the difference of neighbouring knots, hence the spacing.
    smoothness_.slope = 1 / std::pow(kSlopePriorPpm * basis_.spacing_ns() / 1e6, 2);  // ppm * s = 1e3 ns
    const Eigen::Index all = basis_.knot_unknown(basis_.knots()), one = basis_.knot_unknown(1);
    smoothness_.bends = VectorXd::Zero(all);
    smoothness_.bends.segment(one, all - 2 * one)
        .setConstant(curvature_);  // the first and the last knot have one neighbour only
    for (const PairObservation& pair : in_.pairs) pair_weight_.push_back(1 / (pair.sigma_ns * pair.sigma_ns));
  }

  ClockFit solve();

 private:
  /// Calls body(knot) for every knot, side by side where that is worth the trouble.
  template <typename Body>
  void for_knots(const Body& body) const {
    if (basis_.knots() * in_.nodes >= kWorthThreads) return parallel_for(basis_.knots(), body);
    for (std::size_t k = 0; k < basis_.knots(); ++k) body(k);
  }
  [[nodiscard]] bool is_unknown(std::size_t node) const { return unknown_[static_cast<Eigen::Index>(node)] != 0; }
  /// What the fit has for the difference of a pair.
  [[nodiscard]] double fitted(const VectorXd& x, std::size_t i) const {
    return basis_.value(x, in_.pairs[i].to, to_place_[i]) - basis_.value(x, in_.pairs[i].from, from_place_[i]);
  }
  void scatter_pair(VectorXd& into, std::size_t i, double amount) const {
    basis_.scatter(into, in_.pairs[i].to, to_place_[i], amount);
    basis_.scatter(into, in_.pairs[i].from, from_place_[i], -amount);
  }

  void find_connected();
  void locate();
  void reweigh(Loss loss);
  [[nodiscard]] double typical_bend_variance() const;
  void reweigh_bends();
  void factor();
  void factor_common();
  void find_residual();
  void apply(const VectorXd& x, VectorXd& out);
  void precondition(const VectorXd& r, VectorXd& z) const;
  void conjugate_gradients(VectorXd& x, double accuracy);
  [[nodiscard]] double coupling(std::size_t node, double alone);
  double solve_round(std::optional<Loss> loss, double accuracy);
  [[nodiscard]] double residual_scale_ns() const;
  [[nodiscard]] ClockFit describe() const;
  void fill_uncertainty(ClockFit& fit);

  const Observations& in_;
  const FitOptions& options_;
  const ClockBasis basis_;
  SharedEvents events_;
  std::vector<Place> from_place_, to_place_;  // of pairs, as is
  std::vector<double> pair_weight_;
  double pair_scale_ = 0;
  std::vector<std::uint8_t> connected_;  // by node: to the reference, by observations
  VectorXd unknown_;                     // by node: 1 if its clock is to be found, else 0
  VectorXd x_, before_;
  struct {
    VectorXd r, z, p, image;  // the residual, the same preconditioned, the direction, its product with the matrix
  } work_;                    // of conjugate gradients; kept, since fresh memory costs more than a pass over it
  double most_curvature_;     // of clocks that wander as little as the options say
  double curvature_;          // of these clocks: one over the typical size of a second difference, squared
  Smoothness smoothness_;
  NodeSmoothers smoothers_;
  NodeSmoothers common_;  // of a clock that all nodes but the reference have in common
};

void JointFit::find_connected() {
  DisjointSets sets(in_.nodes + in_.events);
  for (const PairObservation& pair : in_.pairs) sets.join(pair.from, pair.to);
  for (const EventObservation& seen : in_.sightings) sets.join(seen.node, in_.nodes + seen.event);
  connected_.resize(in_.nodes);
  unknown_ = VectorXd::Zero(static_cast<Eigen::Index>(in_.nodes));
  for (std::uint32_t i = 0; i < in_.nodes; ++i) {
    connected_[i] = sets.connected(i, options_.reference) ? 1 : 0;
    // What nothing connects would be held by the prior alone, which knows no offset: it stays where it was recorded.
    if (connected_[i] != 0 && i != options_.reference) unknown_[i] = 1;
  }
}

void JointFit::locate() {
  events_.locate();
  from_place_.resize(in_.pairs.size());
  to_place_.resize(in_.pairs.size());
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    const PairObservation& pair = in_.pairs[i];
    // Offsets change by some tens of ppm: one step of the fixed point is exact to less than a picosecond once they are
    // known.
    const double reference = pair.at_ns - basis_.value(x_, pair.from, basis_.place(pair.from, pair.at_ns));
    from_place_[i] = basis_.place(pair.from, reference);
    to_place_[i] = basis_.place(pair.to, reference);
  }
}

void JointFit::reweigh(Loss loss) {
  const std::size_t of_clocks = 2 * (in_.nodes - 1);  // an offset and a drift each: the prior holds the rest
  if (!events_.empty()) events_.reweigh(x_, loss, in_.events + of_clocks);
  if (in_.pairs.empty()) return;
  std::vector<double> sizes(in_.pairs.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = std::abs(in_.pairs[i].difference_ns - fitted(x_, i)) / in_.pairs[i].sigma_ns;
  // Never below what the sources claim: a few observations that agree by chance prove no exactness.
  pair_scale_ = std::max(residual_scale(sizes, sizes.size(), of_clocks, 1), in_.least_pair_scale);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double sigma = pair_scale_ * in_.pairs[i].sigma_ns;
    pair_weight_[i] = weight_of(loss, sizes[i] / pair_scale_) / (sigma * sigma);
  }
}

/// The variance that the observations leave to a second difference, typically: of some knots of some nodes, each node
/// for itself.
double JointFit::typical_bend_variance() const {
  constexpr std::size_t kNodes = 32, kKnots = 16;
  const std::size_t node_stride = in_.nodes / kNodes + 1, knot_stride = basis_.knots() / kKnots + 1;
  std::vector<double> variances;
  for (std::size_t node = 0; node < in_.nodes; node += node_stride) {
    const std::size_t chosen = is_unknown(node) ? node : (node + 1) % in_.nodes;
    // Of the reference and of what is not connected there is nothing to learn; the neighbour is as good a sample.
    if (!is_unknown(chosen)) continue;
    const NodeSmoother smoother = smoothers_.of_node(chosen);
    VectorXd bend = VectorXd::Zero(static_cast<Eigen::Index>(basis_.knots() + basis_.steps(chosen).size()));
    for (std::size_t k = 1; k + 1 < basis_.knots(); k += knot_stride) {
      const auto at = static_cast<Eigen::Index>(k);
      bend[at - 1] = bend[at + 1] = 1, bend[at] = -2;
      variances.push_back(bend.dot(smoother.solve(bend)));
      bend[at - 1] = bend[at + 1] = bend[at] = 0;
    }
  }
  return lower_median(variances);
}

/// Second differences are as Student's t has them, by its usual weights: a bend far beyond what wander explains costs
/// next to nothing. How large they are is learned on the way (expectation maximisation), upwards only: clocks in a
/// warming machine wander more than others.
void JointFit::reweigh_bends() {
  const double unseen = typical_bend_variance();
  const auto width = static_cast<Eigen::Index>(in_.nodes);
  const auto knot = [&](std::size_t k) { return x_.segment(basis_.knot_unknown(k), width).array(); };
  const double count = static_cast<double>(basis_.knots() - 2) * unknown_.sum();
  std::vector<double> sums(basis_.knots(), 0.0);
  for_knots([&](std::size_t k) {
    if (k == 0 || k + 1 == basis_.knots()) return;  // there is no second difference around the ends
    const Eigen::ArrayXd square = (knot(k - 1) - 2 * knot(k) + knot(k + 1)).square() + unseen;
    auto weight = smoothness_.bends.segment(basis_.knot_unknown(k), width).array();
    // The weight of Student's t with nu degrees of freedom: (nu + 1) / (nu + x^2).
    weight = (kBendFreedom + 1) / (kBendFreedom + square * curvature_);
    sums[k] = (weight * square * unknown_.array()).sum();
  });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  // The mean of weighted squares is the variance that maximises the likelihood.
  if (count > 0) curvature_ = std::min(count / sum, most_curvature_);
  smoothness_.bends *= curvature_;
}

void JointFit::factor() {
  smoothers_.clear();
  events_.add_to(smoothers_);
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    smoothers_.add(in_.pairs[i].from, from_place_[i], pair_weight_[i]);
    smoothers_.add(in_.pairs[i].to, to_place_[i], pair_weight_[i]);
  }
  smoothers_.factor(smoothness_, unknown_);
  factor_common();
}

void JointFit::factor_common() {
  common_.clear();
  events_.add_common_to(common_);
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    // A pair of two nodes that move alike says nothing about where they both are.
    const bool from_reference = in_.pairs[i].from == options_.reference;
    if (from_reference == (in_.pairs[i].to == options_.reference)) continue;
    const Place& at = from_reference ? to_place_[i] : from_place_[i];
    common_.add(0, {at.knot, 0, at.fraction}, pair_weight_[i]);
  }
  Smoothness of_all{unknown_.sum() * smoothness_.slope, VectorXd(static_cast<Eigen::Index>(basis_.knots()))};
  const auto width = static_cast<Eigen::Index>(in_.nodes);
  for (std::size_t k = 0; k < basis_.knots(); ++k)
    of_all.bends[static_cast<Eigen::Index>(k)] = smoothness_.bends.segment(basis_.knot_unknown(k), width).dot(unknown_);
  common_.factor(of_all, VectorXd::Ones(1));
}

/// The gradient of the loss at x_, downwards: the right-hand side less the product, in one pass over the observations.
void JointFit::find_residual() {
  VectorXd& r = work_.r;
  r.setZero();
  basis_.add_prior(smoothness_, x_, r);
  r = -r;
  events_.add_residual(x_, r);
  for (std::size_t i = 0; i < in_.pairs.size(); ++i)
    scatter_pair(r, i, pair_weight_[i] * (in_.pairs[i].difference_ns - fitted(x_, i)));
  basis_.clear_reference(r);
}

void JointFit::apply(const VectorXd& x, VectorXd& out) {
  out.setZero();
  events_.add_product(x, out);
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) scatter_pair(out, i, pair_weight_[i] * fitted(x, i));
  basis_.add_prior(smoothness_, x, out);
  basis_.clear_reference(out);
}

/// Each node's own smoothing problem, and that of what all clocks have in common.
void JointFit::precondition(const VectorXd& r, VectorXd& z) const {
  if (unknown_.isZero()) {  // the common clock would be nobody's
    z.setZero();
    return;
  }
  smoothers_.solve(r, z);
  VectorXd common(static_cast<Eigen::Index>(basis_.knots()));
  const auto width = static_cast<Eigen::Index>(in_.nodes);
  for_knots([&](std::size_t k) {
    common[static_cast<Eigen::Index>(k)] = r.segment(basis_.knot_unknown(k), width).dot(unknown_);
  });
  common_.solve(common, common);
  for_knots([&](std::size_t k) {
    auto knot = z.segment(basis_.knot_unknown(k), width).array();
    knot = (knot + common[static_cast<Eigen::Index>(k)]) * unknown_.array();
  });
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (!is_unknown(node))
      z.segment(basis_.step_unknown(node, 0), static_cast<Eigen::Index>(basis_.steps(node).size())).setZero();
  }
}

/// Solves for `x`, from where it is, until a share of `accuracy` of the residual, which is in work_.r, is left.
void JointFit::conjugate_gradients(VectorXd& x, double accuracy) {
  // Not a structured binding: the lambdas below capture them, which Clang refuses before version 16.
  VectorXd& r = work_.r;
  VectorXd& z = work_.z;
  VectorXd& p = work_.p;
  VectorXd& image = work_.image;
  precondition(r, z);
  p = z;
  double rz = dot(r, z);
  // Preconditioned residuals are compared by their squares.
  const double goal = accuracy * accuracy * rz;
  for (int i = 0; i < kMaxIterations && rz > goal; ++i) {
    apply(p, image);
    const double curvature = dot(p, image);
    if (!(curvature > 0)) break;  // rounding is all that is left
    const double step = rz / curvature;
    for_ranges(x.size(), [&](Eigen::Index begin, Eigen::Index count) {
      x.segment(begin, count) += step * p.segment(begin, count);
      r.segment(begin, count) -= step * image.segment(begin, count);
    });
    precondition(r, z);
    const double next = dot(r, z), share = next / rz;
    rz = next;
    if (rz <= goal) break;
    for_ranges(x.size(), [&](Eigen::Index begin, Eigen::Index count) {
      p.segment(begin, count) = z.segment(begin, count) + share * p.segment(begin, count);
    });
  }
}

/// Weighs, unless `loss` is none, solves, and returns the largest change of an unknown.
double JointFit::solve_round(std::optional<Loss> loss, double accuracy) {
  locate();
  if (loss) reweigh(*loss);
  if (loss) reweigh_bends();
  factor();
  before_ = x_;
  find_residual();
  conjugate_gradients(x_, accuracy);
  events_.eliminate(x_);
  return (x_ - before_).lpNorm<Eigen::Infinity>();
}

/// In ns: of the more exact of the two kinds of observations.
double JointFit::residual_scale_ns() const {
  double least = events_.scale_ns() > 0 ? events_.scale_ns() : std::numeric_limits<double>::max();
  if (!in_.pairs.empty()) {
    std::vector<double> sigmas;
    for (const PairObservation& pair : in_.pairs) sigmas.push_back(pair.sigma_ns);
    least = std::min(least, pair_scale_ * lower_median(sigmas));
  }
  return least;
}

ClockFit JointFit::solve() {
  find_connected();
  for (int round = 0; round <= kPlainRounds; ++round) {
    // There are no residuals before the first solve, and so no scale to weigh them by.
    if (round == 0) solve_round(std::nullopt, kSolved);
    else solve_round(Loss::squares, kRoughlySolved);
  }
  // A redescending influence function has several answers and finds the one near which it begins: so begin at the one
  // that Huber's convex loss has.
  for (const Loss loss : {Loss::huber, Loss::redescending}) {
    for (int round = 0; round < kReweightings; ++round) {
      // The weights change with x: solving exactly for weights that are not final would be wasted.
      if (solve_round(loss, kRoughlySolved) < kSettled * residual_scale_ns()) break;
    }
  }
  find_residual();
  conjugate_gradients(x_, kRefined);
  events_.eliminate(x_);
  locate();
  ClockFit fit = describe();
  fill_uncertainty(fit);
  return fit;
}

ClockFit JointFit::describe() const {
  ClockFit fit;
  fit.first_knot_ns = basis_.first_knot_ns();
  fit.spacing_ns = basis_.spacing_ns();
  fit.knots = basis_.knots();
  fit.nodes.resize(in_.nodes);
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    NodeClock& clock = fit.nodes[node];
    const VectorXd unknowns = basis_.of_node(x_, node);
    clock.calibrated = connected_[node] != 0;
    clock.offset_ns.assign(unknowns.data(), unknowns.data() + fit.knots);
    clock.sigma_ns.assign(fit.knots, 0.0);
    clock.steps = basis_.steps(node);
    for (std::size_t s = 0; s < clock.steps.size(); ++s)
      clock.steps[s].jump_ns = unknowns[static_cast<Eigen::Index>(fit.knots + s)];
  }
  fit.event_ns = events_.moments_ns();
  fit.sighting_residual_ns = events_.residuals_ns(x_);
  fit.event_scale_ns = events_.scale_ns();
  for (std::size_t i = 0; i < in_.pairs.size(); ++i)
    fit.pair_residual_ns.push_back(in_.pairs[i].difference_ns - fitted(x_, i));
  fit.pair_scale = pair_scale_;
  return fit;
}

/// How much larger the variance of a node's middle knot is because the clocks it was compared with are not known
/// exactly either.
double JointFit::coupling(std::size_t node, double alone) {
  VectorXd column = VectorXd::Zero(x_.size());
  const Eigen::Index middle = basis_.knot_unknown(basis_.knots() / 2) + static_cast<Eigen::Index>(node);
  work_.r.setZero();
  work_.r[middle] = 1;  // from 0 the residual is the right-hand side: a column of the identity, for one of the inverse
  conjugate_gradients(column, kRoughlySolved / 2);
  // Below 1 is what conjugate gradients left unsolved: knowing the others less cannot make this one better known.
  return alone > 0 ? std::max(column[middle] / alone, 1.0) : 1.0;
}

/// Each node's own smoothing problem gives the shape of its uncertainty along time; the joint problem, solved for the
/// middle of some nodes, its size.
void JointFit::fill_uncertainty(ClockFit& fit) {
  // The joint problem costs a solve per node; the largest coupling of a few stands for all.
  constexpr std::size_t kSolvedJointly = 8;
  parallel_for(in_.nodes, [&](std::size_t node) {
    if (!is_unknown(node)) return;
    const std::vector<double> variances = smoothers_.of_node(node).inverse_diagonal();
    for (std::size_t k = 0; k < fit.knots; ++k) fit.nodes[node].sigma_ns[k] = std::sqrt(std::max(variances[k], 0.0));
  });
  double largest = 1;
  for (std::size_t node = 0; node < in_.nodes; node += std::max<std::size_t>(1, in_.nodes / kSolvedJointly)) {
    const double alone = fit.nodes[node].sigma_ns[fit.knots / 2];
    if (is_unknown(node)) largest = std::max(largest, coupling(node, alone * alone));
  }
  for (NodeClock& node : fit.nodes) {
    for (double& sigma : node.sigma_ns) sigma *= std::sqrt(largest);
  }
}

}  // namespace

ClockFit fit_clocks(const Observations& observations, const FitOptions& options) {
  return JointFit(observations, options).solve();
}

}  // namespace orrery::align

#include "align/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "align/node_smoother.h"
#include "align/robust.h"

namespace orrery::align {
namespace {

using Eigen::VectorXd;

constexpr int kReweightings = 40;
constexpr int kPlainRounds = 4;  // at first every observation has its full say: how exact they are shows only after some rounds
constexpr int kMaxIterations = 400;
constexpr double kSolved = 1e-7;         // of the residual at the start is left by the first and the last linear solve,
constexpr double kRoughlySolved = 0.05;  // and by those between: their weights are not final
constexpr double kSettled = 0.002;       // change of a knot, in typical residuals, after which reweighting stops
constexpr std::size_t kMaxKnots = 4096;
constexpr double kSlopePriorPpm = 300;           // keeps a node with a single observation solvable; no crystal is that bad
constexpr double kHuber = 0.7;                   // residuals beyond this many typical ones count by their size, not its square
constexpr double kUnknownEventScaleNs = 50'000;  // with which ranks see a collective end, if the traces do not tell
constexpr double kWild = 4;                      // typical residuals from which on an observation is wild
constexpr double kBendFreedom = 4;               // degrees of freedom of Student's t, of which second differences are

/// How much an observation counts that lies `u` typical residuals away.
enum class Say : std::uint8_t {
  full,      ///< as much as any
  bounded,   ///< by its distance, not its square (Huber): convex, so that there is one answer
  fleeting,  ///< less and less the further away: from the answer of `bounded` on, what is wild no longer pulls
};

double weight_of(Say say, double u) {
  if (say == Say::full) return 1;
  const double huber = u <= kHuber ? 1 : kHuber / u;
  return say == Say::bounded ? huber : huber / (1 + u * u / (kWild * kWild));
}

/// The median of residuals that could be anything, as a standard deviation: as many of them as there are unknowns are small because the fit
/// made them so. `otherwise` if there are no more than that.
double typical_size(std::vector<double> sizes, std::size_t unknowns, double otherwise) {
  if (sizes.size() <= unknowns) return otherwise;
  const double free = static_cast<double>(sizes.size() - unknowns);
  return 1.4826 * quantile(sizes, (static_cast<double>(unknowns) + free / 2) / static_cast<double>(sizes.size()));
}

class JointFit {
 public:
  JointFit(const Observations& observations, const FitOptions& options);
  ClockFit solve();

 private:
  [[nodiscard]] Place place(std::size_t node, double reference_ns) const;
  [[nodiscard]] double value(const VectorXd& x, std::size_t node, const Place& at) const;
  void scatter(VectorXd& into, std::size_t node, const Place& at, double amount) const;
  [[nodiscard]] bool is_reference(std::size_t node) const { return node == options_.reference; }
  [[nodiscard]] bool is_unknown(std::size_t node) const { return !is_reference(node) && connected_[node] != 0; }

  void find_connected();
  void start_events();
  void locate();
  void reweigh(Say say);
  [[nodiscard]] double typical_bend_variance() const;
  void reweigh_bends();
  void factor();
  void eliminate(const VectorXd& x);
  [[nodiscard]] VectorXd right_side() const;
  void apply(const VectorXd& x, VectorXd& out) const;
  void apply_prior(const VectorXd& x, VectorXd& out) const;
  [[nodiscard]] VectorXd precondition(const VectorXd& r) const;
  void conjugate_gradients(const VectorXd& b, VectorXd& x, double accuracy) const;
  [[nodiscard]] double coupling(std::size_t node, double alone) const;
  double solve_round(std::optional<Say> say, double accuracy);
  [[nodiscard]] double typical_residual() const;
  void fill_uncertainty(ClockFit& fit) const;

  const Observations& in_;
  const FitOptions& options_;
  double first_knot_ = 0, spacing_ = 1;
  std::size_t knots_ = 2;
  std::vector<std::vector<ClockStep>> steps_;
  std::vector<std::size_t> base_;  // of each node's unknowns
  std::vector<std::uint8_t> connected_;
  VectorXd x_;
  std::vector<double> event_, event_weight_;
  std::vector<Place> sighting_place_, from_place_, to_place_;
  std::vector<double> sighting_weight_, pair_weight_;
  double event_scale_ = 0, pair_scale_ = 0;
  Smoothness smoothness_;
  double most_curvature_ = 0;        // of clocks that wander as little as the options say
  std::vector<double> bend_weight_;  // per node and knot: of the second difference around it
  std::vector<NodeSmoother> smoothers_;
};

JointFit::JointFit(const Observations& observations, const FitOptions& options) : in_(observations), options_(options) {
  const double span = std::max(options.end_ns - options.begin_ns, 1.0);
  spacing_ = std::max(options.spacing_ns, span / static_cast<double>(kMaxKnots));
  knots_ = static_cast<std::size_t>(std::ceil(span / spacing_)) + 2;
  first_knot_ = options.begin_ns - 0.5 * (static_cast<double>(knots_ - 1) * spacing_ - span);
  steps_ = options.steps;
  steps_.resize(in_.nodes);
  base_.resize(in_.nodes + 1);
  for (std::size_t i = 0; i < in_.nodes; ++i) {
    base_[i + 1] = base_[i] + knots_ + steps_[i].size();
    smoothers_.emplace_back(knots_, steps_[i].size());
  }
  x_ = VectorXd::Zero(static_cast<Eigen::Index>(base_.back()));
  // A frequency that walks by w per root second makes second differences with variance w^2 * h^3 * 2/3.
  const double seconds = spacing_ / 1e9;
  const double sigma = options.wander_ppm * 1e3 * std::pow(seconds, 1.5) * std::sqrt(2.0 / 3.0);  // ppm * s = 1e3 ns
  smoothness_.curvature = 1 / (sigma * sigma);
  most_curvature_ = smoothness_.curvature;
  smoothness_.slope = 1 / std::pow(kSlopePriorPpm * 1e3 * seconds, 2);
  bend_weight_.assign(in_.nodes * knots_, smoothness_.curvature);
}

Place JointFit::place(std::size_t node, double reference_ns) const {
  const double at = std::clamp((reference_ns - first_knot_) / spacing_, 0.0, static_cast<double>(knots_ - 1));
  const auto knot = std::min(static_cast<std::size_t>(at), knots_ - 2);
  const auto& steps = steps_[node];
  const auto passed = std::upper_bound(steps.begin(), steps.end(), reference_ns, [](double t, const ClockStep& s) { return t < s.at_ns; });
  return {static_cast<std::uint32_t>(knot), static_cast<std::uint32_t>(passed - steps.begin()), at - static_cast<double>(knot)};
}

double JointFit::value(const VectorXd& x, std::size_t node, const Place& at) const {
  if (is_reference(node)) return 0;
  const auto base = static_cast<Eigen::Index>(base_[node] + at.knot);
  double sum = (1 - at.fraction) * x[base] + at.fraction * x[base + 1];
  for (std::uint32_t s = 0; s < at.steps; ++s) sum += x[static_cast<Eigen::Index>(base_[node] + knots_ + s)];
  return sum;
}

void JointFit::scatter(VectorXd& into, std::size_t node, const Place& at, double amount) const {
  if (is_reference(node)) return;
  const auto base = static_cast<Eigen::Index>(base_[node] + at.knot);
  into[base] += (1 - at.fraction) * amount;
  into[base + 1] += at.fraction * amount;
  for (std::uint32_t s = 0; s < at.steps; ++s) into[static_cast<Eigen::Index>(base_[node] + knots_ + s)] += amount;
}

void JointFit::find_connected() {
  std::vector<std::uint32_t> parent(in_.nodes + in_.events);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const PairObservation& pair : in_.pairs) parent[root(pair.from)] = root(pair.to);
  for (const EventObservation& seen : in_.sightings) parent[root(seen.node)] = root(static_cast<std::uint32_t>(in_.nodes + seen.event));
  connected_.resize(in_.nodes);
  for (std::uint32_t i = 0; i < in_.nodes; ++i) connected_[i] = root(i) == root(options_.reference) ? 1 : 0;
}

void JointFit::start_events() {
  event_.assign(in_.events, 0);
  event_weight_.assign(in_.events, 0);
  std::vector<double> readings;
  for (std::size_t i = 0; i < in_.sightings.size();) {
    readings.clear();
    const std::uint32_t event = in_.sightings[i].event;
    for (; i < in_.sightings.size() && in_.sightings[i].event == event; ++i) readings.push_back(in_.sightings[i].reading_ns);
    event_[event] = median(readings);
  }
  sighting_weight_.assign(in_.sightings.size(), 1.0);
  pair_weight_.resize(in_.pairs.size());
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) pair_weight_[i] = 1 / (in_.pairs[i].sigma_ns * in_.pairs[i].sigma_ns);
}

void JointFit::locate() {
  sighting_place_.resize(in_.sightings.size());
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) sighting_place_[i] = place(in_.sightings[i].node, event_[in_.sightings[i].event]);
  from_place_.resize(in_.pairs.size());
  to_place_.resize(in_.pairs.size());
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    const PairObservation& pair = in_.pairs[i];
    // Offsets change by some tens of ppm: one step of the fixed point is exact to less than a picosecond once they are known.
    const double reference = pair.at_ns - value(x_, pair.from, place(pair.from, pair.at_ns));
    from_place_[i] = place(pair.from, reference);
    to_place_[i] = place(pair.to, reference);
  }
}

void JointFit::reweigh(Say say) {
  std::vector<double> sizes(in_.sightings.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const EventObservation& seen = in_.sightings[i];
    sizes[i] = std::abs(seen.reading_ns - event_[seen.event] - value(x_, seen.node, sighting_place_[i]));
  }
  if (!sizes.empty()) {
    event_scale_ = std::max(typical_size(sizes, in_.events + 2 * (in_.nodes - 1), kUnknownEventScaleNs), 1.0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double u = sizes[i] / event_scale_;
      sighting_weight_[i] = weight_of(say, u) / (event_scale_ * event_scale_);
    }
  }
  sizes.resize(in_.pairs.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const PairObservation& pair = in_.pairs[i];
    const double fitted = value(x_, pair.to, to_place_[i]) - value(x_, pair.from, from_place_[i]);
    sizes[i] = std::abs(pair.difference_ns - fitted) / pair.sigma_ns;
  }
  if (sizes.empty()) return;
  pair_scale_ = std::max(typical_size(sizes, 2 * (in_.nodes - 1), 1), in_.least_pair_scale);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double u = sizes[i] / pair_scale_;
    const double sigma = pair_scale_ * in_.pairs[i].sigma_ns;
    pair_weight_[i] = weight_of(say, u) / (sigma * sigma);
  }
}

/// The variance that the observations leave to a second difference, typically: of some knots of some nodes, each node for itself.
double JointFit::typical_bend_variance() const {
  constexpr std::size_t kNodes = 32, kKnots = 16;
  const std::size_t node_stride = in_.nodes / kNodes + 1, knot_stride = knots_ / kKnots + 1;
  std::vector<double> variances;
  for (std::size_t node = 0; node < in_.nodes; node += node_stride) {
    const std::size_t chosen = is_unknown(node) ? node : (node + 1) % in_.nodes;
    if (!is_unknown(chosen)) continue;
    VectorXd bend = VectorXd::Zero(static_cast<Eigen::Index>(base_[chosen + 1] - base_[chosen]));
    for (std::size_t k = 1; k + 1 < knots_; k += knot_stride) {
      const auto at = static_cast<Eigen::Index>(k);
      bend[at - 1] = bend[at + 1] = 1, bend[at] = -2;
      variances.push_back(bend.dot(smoothers_[chosen].solve(bend)));
      bend[at - 1] = bend[at + 1] = bend[at] = 0;
    }
  }
  return median(variances);
}

/// Second differences are as Student's t has them, by its usual weights: a bend far beyond what wander explains costs next to nothing. How
/// large they are is learned on the way (expectation maximisation), upwards only: clocks in a warming machine wander more than others.
void JointFit::reweigh_bends() {
  const double unseen = typical_bend_variance();
  double sum = 0, count = 0;
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (!is_unknown(node)) continue;
    const auto base = static_cast<Eigen::Index>(base_[node]);
    for (std::size_t k = 1; k + 1 < knots_; ++k) {
      const auto at = base + static_cast<Eigen::Index>(k);
      const double bend = x_[at - 1] - 2 * x_[at] + x_[at + 1];
      const double size = bend * bend + unseen;
      const double say = (kBendFreedom + 1) / (kBendFreedom + size * smoothness_.curvature);
      bend_weight_[node * knots_ + k] = say;
      sum += say * size;
      ++count;
    }
  }
  if (count > 0) smoothness_.curvature = std::min(count / sum, most_curvature_);
  for (double& weight : bend_weight_) weight *= smoothness_.curvature;
}

void JointFit::factor() {
  for (NodeSmoother& smoother : smoothers_) smoother.clear();
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) smoothers_[in_.sightings[i].node].add(sighting_place_[i], sighting_weight_[i]);
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    smoothers_[in_.pairs[i].from].add(from_place_[i], pair_weight_[i]);
    smoothers_[in_.pairs[i].to].add(to_place_[i], pair_weight_[i]);
  }
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (is_unknown(node)) smoothers_[node].factor(smoothness_.slope, std::span(bend_weight_).subspan(node * knots_, knots_));
  }
  std::fill(event_weight_.begin(), event_weight_.end(), 0.0);
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) event_weight_[in_.sightings[i].event] += sighting_weight_[i];
}

/// The moments of the shared events, given the clocks.
void JointFit::eliminate(const VectorXd& x) {
  std::fill(event_.begin(), event_.end(), 0.0);
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) {
    const EventObservation& seen = in_.sightings[i];
    event_[seen.event] += sighting_weight_[i] * (seen.reading_ns - value(x, seen.node, sighting_place_[i]));
  }
  for (std::size_t e = 0; e < event_.size(); ++e) {
    if (event_weight_[e] > 0) event_[e] /= event_weight_[e];
  }
}

VectorXd JointFit::right_side() const {
  VectorXd b = VectorXd::Zero(x_.size());
  std::vector<double> mean(event_.size(), 0.0);
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) mean[in_.sightings[i].event] += sighting_weight_[i] * in_.sightings[i].reading_ns;
  for (std::size_t e = 0; e < mean.size(); ++e) mean[e] = event_weight_[e] > 0 ? mean[e] / event_weight_[e] : 0;
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) {
    const EventObservation& seen = in_.sightings[i];
    scatter(b, seen.node, sighting_place_[i], sighting_weight_[i] * (seen.reading_ns - mean[seen.event]));
  }
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    const double amount = pair_weight_[i] * in_.pairs[i].difference_ns;
    scatter(b, in_.pairs[i].to, to_place_[i], amount);
    scatter(b, in_.pairs[i].from, from_place_[i], -amount);
  }
  return b;
}

void JointFit::apply_prior(const VectorXd& x, VectorXd& out) const {
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (is_reference(node)) continue;
    const auto base = static_cast<Eigen::Index>(base_[node]);
    for (Eigen::Index k = 0; k + 1 < static_cast<Eigen::Index>(knots_); ++k) {
      const double slope = smoothness_.slope * (x[base + k + 1] - x[base + k]);
      out[base + k + 1] += slope;
      out[base + k] -= slope;
      if (k == 0) continue;
      const double bend = bend_weight_[node * knots_ + static_cast<std::size_t>(k)] * (x[base + k - 1] - 2 * x[base + k] + x[base + k + 1]);
      out[base + k - 1] += bend;
      out[base + k] -= 2 * bend;
      out[base + k + 1] += bend;
    }
  }
}

void JointFit::apply(const VectorXd& x, VectorXd& out) const {
  out.setZero();
  std::vector<double> mean(event_.size(), 0.0), values(in_.sightings.size());
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) {
    values[i] = value(x, in_.sightings[i].node, sighting_place_[i]);
    mean[in_.sightings[i].event] += sighting_weight_[i] * values[i];
  }
  for (std::size_t e = 0; e < mean.size(); ++e) mean[e] = event_weight_[e] > 0 ? mean[e] / event_weight_[e] : 0;
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) {
    const EventObservation& seen = in_.sightings[i];
    scatter(out, seen.node, sighting_place_[i], sighting_weight_[i] * (values[i] - mean[seen.event]));
  }
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    const PairObservation& pair = in_.pairs[i];
    const double amount = pair_weight_[i] * (value(x, pair.to, to_place_[i]) - value(x, pair.from, from_place_[i]));
    scatter(out, pair.to, to_place_[i], amount);
    scatter(out, pair.from, from_place_[i], -amount);
  }
  apply_prior(x, out);
}

VectorXd JointFit::precondition(const VectorXd& r) const {
  VectorXd z = VectorXd::Zero(r.size());
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (!is_unknown(node)) continue;
    const auto base = static_cast<Eigen::Index>(base_[node]), size = static_cast<Eigen::Index>(base_[node + 1] - base_[node]);
    z.segment(base, size) = smoothers_[node].solve(r.segment(base, size));
  }
  return z;
}

/// Solves for `x`, from where it is, until a share of `accuracy` of the residual is left.
void JointFit::conjugate_gradients(const VectorXd& b, VectorXd& x, double accuracy) const {
  VectorXd image(x.size());
  apply(x, image);
  VectorXd r = b - image;
  VectorXd z = precondition(r);
  VectorXd p = z;
  double rz = r.dot(z);
  const double goal = accuracy * accuracy * rz;
  for (int i = 0; i < kMaxIterations && rz > goal; ++i) {
    apply(p, image);
    const double curvature = p.dot(image);
    if (!(curvature > 0)) break;
    const double step = rz / curvature;
    x += step * p;
    r -= step * image;
    z = precondition(r);
    const double next = r.dot(z);
    p = z + (next / rz) * p;
    rz = next;
  }
}

/// Weighs, unless `say` is none, solves, and returns the largest change of an unknown.
double JointFit::solve_round(std::optional<Say> say, double accuracy) {
  locate();
  if (say) reweigh(*say);
  if (say) reweigh_bends();
  factor();
  const VectorXd before = x_;
  conjugate_gradients(right_side(), x_, accuracy);
  eliminate(x_);
  return (x_ - before).lpNorm<Eigen::Infinity>();
}

/// In ns: of the more exact of the two kinds of observations.
double JointFit::typical_residual() const {
  double least = event_scale_ > 0 ? event_scale_ : std::numeric_limits<double>::max();
  if (!in_.pairs.empty()) {
    std::vector<double> sigmas;
    for (const PairObservation& pair : in_.pairs) sigmas.push_back(pair.sigma_ns);
    least = std::min(least, pair_scale_ * median(sigmas));
  }
  return least;
}

ClockFit JointFit::solve() {
  find_connected();
  start_events();
  for (int round = 0; round <= kPlainRounds; ++round) solve_round(round == 0 ? std::nullopt : std::optional(Say::full), kSolved);
  for (const Say say : {Say::bounded, Say::fleeting}) {
    for (int round = 0; round < kReweightings; ++round) {
      if (solve_round(say, kRoughlySolved) < kSettled * typical_residual()) break;
    }
  }
  conjugate_gradients(right_side(), x_, kSolved);
  eliminate(x_);
  locate();
  ClockFit fit;
  fit.first_knot_ns = first_knot_;
  fit.spacing_ns = spacing_;
  fit.knots = knots_;
  fit.event_ns = event_;
  fit.nodes.resize(in_.nodes);
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    NodeClock& clock = fit.nodes[node];
    clock.calibrated = connected_[node] != 0;
    clock.offset_ns.assign(knots_, 0.0);
    clock.sigma_ns.assign(knots_, 0.0);
    clock.steps = steps_[node];
    if (is_reference(node)) continue;
    for (std::size_t k = 0; k < knots_; ++k) clock.offset_ns[k] = x_[static_cast<Eigen::Index>(base_[node] + k)];
    for (std::size_t s = 0; s < clock.steps.size(); ++s) clock.steps[s].jump_ns = x_[static_cast<Eigen::Index>(base_[node] + knots_ + s)];
  }
  fit.event_scale_ns = event_scale_;
  fit.pair_scale = pair_scale_;
  for (std::size_t i = 0; i < in_.sightings.size(); ++i) {
    const EventObservation& seen = in_.sightings[i];
    fit.sighting_residual_ns.push_back(seen.reading_ns - event_[seen.event] - value(x_, seen.node, sighting_place_[i]));
  }
  for (std::size_t i = 0; i < in_.pairs.size(); ++i) {
    const PairObservation& pair = in_.pairs[i];
    fit.pair_residual_ns.push_back(pair.difference_ns - value(x_, pair.to, to_place_[i]) + value(x_, pair.from, from_place_[i]));
  }
  fill_uncertainty(fit);
  return fit;
}

/// How much larger the variance of a node's middle knot is because the clocks it was compared with are not known exactly either.
double JointFit::coupling(std::size_t node, double alone) const {
  VectorXd unit = VectorXd::Zero(x_.size()), column = unit;
  const auto middle = static_cast<Eigen::Index>(base_[node] + knots_ / 2);
  unit[middle] = 1;
  conjugate_gradients(unit, column, kRoughlySolved / 10);
  return alone > 0 ? std::max(column[middle] / alone, 1.0) : 1.0;
}

/// Each node's own smoothing problem gives the shape of its uncertainty along time; the joint problem, solved for the middle of some nodes,
/// its size.
void JointFit::fill_uncertainty(ClockFit& fit) const {
  constexpr std::size_t kSolvedJointly = 16;
  const std::size_t stride = std::max<std::size_t>(1, in_.nodes / kSolvedJointly);
  double largest = 1;
  for (std::size_t node = 0; node < in_.nodes; ++node) {
    if (!is_unknown(node)) continue;
    const auto size = static_cast<Eigen::Index>(base_[node + 1] - base_[node]);
    VectorXd unit = VectorXd::Zero(size);
    std::vector<double>& sigma = fit.nodes[node].sigma_ns;
    for (std::size_t k = 0; k < knots_; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      unit[at] = 1;
      sigma[k] = std::sqrt(std::max(smoothers_[node].solve(unit)[at], 0.0));
      unit[at] = 0;
    }
    if (node % stride == 0) largest = std::max(largest, coupling(node, sigma[knots_ / 2] * sigma[knots_ / 2]));
  }
  for (NodeClock& node : fit.nodes) {
    for (double& sigma : node.sigma_ns) sigma *= std::sqrt(largest);
  }
}

}  // namespace

ClockFit fit_clocks(const Observations& observations, const FitOptions& options) { return JointFit(observations, options).solve(); }

}  // namespace orrery::align

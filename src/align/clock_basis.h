// The unknowns of all clocks in one vector, and what a clock shows as a combination of them.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"

namespace orrery::align {

// Work on all clocks in parts that do not depend on how many threads there are, so that no sum does either.

/// Fewer unknowns than this take less time than it takes to wake other threads.
inline constexpr std::size_t kWorthThreads = 20'000;

/// Calls body(begin, end) for ranges of nodes that cover them all, side by side where that is worth the trouble. A
/// range has some cache lines of every knot.
template <typename Body>
void for_node_ranges(std::size_t knots, std::size_t nodes, const Body& body) {
  constexpr std::size_t kNodes = 64;
  if (knots * nodes < kWorthThreads) {
    if (nodes > 0) body(std::size_t{0}, nodes);
    return;
  }
  parallel_for((nodes + kNodes - 1) / kNodes,
               [&](std::size_t i) { body(i * kNodes, std::min((i + 1) * kNodes, nodes)); });
}

/// Calls body(begin, end) for ranges that cover 0 to `size`, and returns the sum of the results in the order of the
/// ranges.
template <typename Body>
double sum_over_ranges(std::size_t size, const Body& body) {
  constexpr std::size_t kRange = 1 << 16;
  if (size <= kRange) return body(std::size_t{0}, size);
  std::vector<double> sums((size + kRange - 1) / kRange);
  parallel_for(sums.size(), [&](std::size_t i) { sums[i] = body(i * kRange, std::min((i + 1) * kRange, size)); });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

// What is known about the clocks before they are fitted: the span, the grid of knots, and where each jumps.

/// From reference time `at_ns` on the clock of a node shows `jump_ns` more. When exactly is known to within the
/// observations around it.
struct ClockStep {
  double at_ns = 0;
  double jump_ns = 0;
  double earliest_ns = at_ns, latest_ns = at_ns;
};

struct FitOptions {
  std::uint32_t reference = 0;
  double begin_ns = 0;  ///< reference time that the clocks must cover
  double end_ns = 0;
  double spacing_ns = 1e9;                         ///< of knots; made wider where the span would need too many
  double wander_ppm = 0.1;                         ///< per square root of a second, at least: the observations tell
  std::vector<std::vector<ClockStep>> steps = {};  ///< per node, by time; jumps are estimated. May be empty
};

/// Where in a node's unknowns an observation is: between two knots, after some of its steps.
struct Place {
  std::uint32_t knot;
  std::uint32_t steps;
  double fraction;  ///< of the way to the next knot
};

/// Weights of the prior: of first differences of the knots, and of the second difference around each knot, ordered as
/// the knots are.
struct Smoothness {
  double slope = 0;
  Eigen::VectorXd bends;
};

/// Knot after knot: the offset of every node; then node after node the jumps of its steps. The reference has unknowns
/// as well, which stay 0: so nothing that is summed over observations has to ask which node it is at.
class ClockBasis {
 public:
  ClockBasis(std::size_t nodes, const FitOptions& options);

  [[nodiscard]] std::size_t nodes() const { return steps_.size(); }
  [[nodiscard]] std::size_t knots() const { return knots_; }
  [[nodiscard]] std::size_t reference() const { return reference_; }
  [[nodiscard]] double first_knot_ns() const { return first_knot_; }
  [[nodiscard]] double spacing_ns() const { return spacing_; }
  [[nodiscard]] const std::vector<ClockStep>& steps(std::size_t node) const { return steps_[node]; }
  [[nodiscard]] Eigen::Index unknowns() const { return first_step_.back(); }
  /// The offsets of all nodes at a knot begin here.
  [[nodiscard]] Eigen::Index knot_unknown(std::size_t knot) const { return static_cast<Eigen::Index>(knot * nodes()); }
  [[nodiscard]] Eigen::Index step_unknown(std::size_t node, std::size_t step) const {
    return first_step_[node] + static_cast<Eigen::Index>(step);
  }

  [[nodiscard]] Place place(std::size_t node, double reference_ns) const {
    Place at = place_of_any(reference_ns);
    at.steps = steps_before(node, reference_ns);
    return at;
  }
  /// The same for a node without steps.
  [[nodiscard]] Place place_of_any(double reference_ns) const;
  [[nodiscard]] std::uint32_t steps_before(std::size_t node, double reference_ns) const {
    std::uint32_t passed = 0;
    for (const ClockStep& step : steps_[node]) passed += step.at_ns <= reference_ns ? 1 : 0;
    return passed;
  }

  [[nodiscard]] double value(const Eigen::VectorXd& x, std::size_t node, const Place& at) const {
    const Eigen::Index knot = knot_unknown(at.knot) + static_cast<Eigen::Index>(node);
    double sum = (1 - at.fraction) * x[knot] + at.fraction * x[knot + static_cast<Eigen::Index>(nodes())];
    for (std::uint32_t s = 0; s < at.steps; ++s) sum += x[step_unknown(node, s)];
    return sum;
  }
  /// The transpose of value(): adds `amount` to each unknown as much as the value depends on it.
  void scatter(Eigen::VectorXd& into, std::size_t node, const Place& at, double amount) const {
    const Eigen::Index knot = knot_unknown(at.knot) + static_cast<Eigen::Index>(node);
    into[knot] += (1 - at.fraction) * amount;
    into[knot + static_cast<Eigen::Index>(nodes())] += at.fraction * amount;
    for (std::uint32_t s = 0; s < at.steps; ++s) into[step_unknown(node, s)] += amount;
  }

  /// The unknowns of one node: its knots, then its steps.
  [[nodiscard]] Eigen::VectorXd of_node(const Eigen::VectorXd& x, std::size_t node) const;
  void clear_reference(Eigen::VectorXd& x) const;
  /// Adds the gradient of the prior at `x`.
  void add_prior(const Smoothness& prior, const Eigen::VectorXd& x, Eigen::VectorXd& into) const;

 private:
  void add_prior_of(const Smoothness& prior, const Eigen::VectorXd& x, Eigen::VectorXd& into, std::size_t begin,
                    std::size_t end) const;

  double first_knot_ = 0, spacing_ = 1;
  std::size_t knots_ = 2;
  std::size_t reference_ = 0;
  std::vector<std::vector<ClockStep>> steps_;
  std::vector<Eigen::Index> first_step_;
};

}  // namespace orrery::align

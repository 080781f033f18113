// The part of the fit that comes from events which several nodes saw: their moments are unknown too, and eliminated.
//
// Node i sees event e at the reading r_i = E + x_i(E), with weight w_i. The moment that fits best is the weighted mean
// of r_i - x_i, and with it put in, the event adds to the loss the sum over its sightings of w_i ((r_i - x_i) - mean)^2
// / 2: so the gradient at clock i is w_i times how far its value is from the mean.
//
// All nodes see an event at nearly the same moment, so it lies between the same two knots of every clock: what a pass
// over millions of sightings needs of each is its node, its reading and its weight.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "align/clock_basis.h"
#include "align/node_smoother.h"
#include "align/observations.h"
#include "align/robust.h"
#include "base/sparse_rows.h"

namespace orrery::align {

/// Every pass takes time linear in the sightings, and runs in blocks side by side; sums do not depend on the number of
/// threads.
class SharedEvents {
 public:
  /// Both must outlive it. Moments begin as the medians of what the clocks showed, weights as those of collectives
  /// whose ends are seen some tens of microseconds apart: were they far too high, the clocks would follow every
  /// sighting, and how inexact those are would not show.
  SharedEvents(const Observations& observations, const ClockBasis& basis);

  [[nodiscard]] bool empty() const { return node_.empty(); }
  [[nodiscard]] const std::vector<double>& moments_ns() const { return moment_; }
  [[nodiscard]] double scale_ns() const { return scale_; }

  /// Takes the present moments for where in the unknowns the events are.
  void locate();
  /// Weighs sightings by how far they are from the clocks `x`, in units of the residuals' scale. `unknowns`: how many
  /// residuals are small only because they were fitted.
  void reweigh(const Eigen::VectorXd& x, Loss loss, std::size_t unknowns);
  /// Adds every sighting to the smoothing problem of its node.
  void add_to(NodeSmoothers& smoothers);
  /// Adds to `common`, of one node, what ties a clock that all nodes but the reference have in common to the reference.
  void add_common_to(NodeSmoothers& common) const;
  /// The moments that fit the clocks `x` best.
  void eliminate(const Eigen::VectorXd& x);
  /// Adds the right-hand side of the normal equations, moments eliminated, less their product with `x`.
  void add_residual(const Eigen::VectorXd& x, Eigen::VectorXd& into);
  /// Adds the product of the normal matrix, moments eliminated, and `x`.
  void add_product(const Eigen::VectorXd& x, Eigen::VectorXd& out);
  /// Per sighting: reading less moment less what the clock shows more.
  [[nodiscard]] std::vector<double> residuals_ns(const Eigen::VectorXd& x) const;

 private:
  /// The events between some neighbouring knots.
  struct Block {
    std::size_t begin = 0, end = 0;  // in the entries of by_knot_
    Eigen::VectorXd step_sums = {};  // what its sightings add to the jumps of steps
    std::vector<double> values = {};
  };

  void cut_into_blocks();
  void for_blocks(const std::function<void(Block&)>& body);
  void for_blocks_apart(const std::function<void(Block&)>& body);
  void add_deviations_of_all(Eigen::VectorXd& into,
                             const std::function<const double*(Block&, std::uint32_t event)>& values_of);
  void read_values(const Eigen::VectorXd& x, std::uint32_t event, std::vector<double>& values) const;
  void add_deviations(Block& block, std::uint32_t event, const double* values, Eigen::VectorXd& into) const;
  [[nodiscard]] std::size_t count(std::uint32_t event) const { return first_[event + 1] - first_[event]; }
  [[nodiscard]] std::span<const std::uint32_t> events(const Block& block) const {
    return by_knot_.entries().subspan(block.begin, block.end - block.begin);
  }

  const ClockBasis& basis_;
  std::vector<std::size_t> first_;  // sighting of every event; then their number
  std::vector<std::uint32_t> node_;
  std::vector<double> reading_, weight_;  // by sighting
  std::vector<double> moment_, located_;  // by event
  std::vector<Place> place_;              // by event, of clocks without steps
  SparseRows<std::uint32_t> by_knot_;     // the events, by the knot before them
  std::vector<std::uint8_t> has_steps_;   // by node
  bool any_steps_ = false;
  std::vector<Block> blocks_;
  double scale_ = 0;
};

}  // namespace orrery::align

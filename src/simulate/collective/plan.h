// What an operation asks of the network: phases one after the other, each of them transfers that move together at one
// common rate.
//
// A ring all-reduce over n ranks is n transfers between neighbours, 2(n-1) times over; nobody can run ahead, so all
// move at the pace of the slowest. That is one phase with one rate, however many ranks there are: each transfer moves
// 2(n-1)/n of the buffer, and a link that k of the transfers cross carries k times the common rate. Transfers that
// share the port of a device are counted as one there (link_weights.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "machine/topology/network.h"
#include "simulate/collective/algorithm.h"
#include "simulate/fluid/fluid_network.h"

namespace orrery::simulate {

/// Bytes in proportion to the operation's: one plan serves all sizes.
struct PlanPhase {
  double bytes_per_byte =
      0;  ///< what passes the port of a device that holds the phase back, per byte of the operation, over all steps
  std::vector<LinkShare>
      shares;  ///< ascending by link; the weight is how many times that crosses it. Empty only if nothing moves
  TimePs alpha_ps = 0;      ///< latencies and overheads before the bytes count, over all steps
  std::uint32_t steps = 1;  ///< how many dependent steps are folded into this phase
  double seconds_per_byte =
      0;  ///< alone, per byte of the operation: bytes_per_byte times the largest weight over capacity
  machine::LinkId bottleneck = ~0U;  ///< the link that decides it, the lowest of equals; ~0 without shares
  RouteNumber route = kNoRoute;      ///< of the shares of a plan that is kept
};

/// Independent of the size of the operation, but for the rendezvous of a message.
struct Plan {
  Algorithm algorithm = Algorithm::direct;
  TimePs launch_ps = 0;
  std::vector<PlanPhase> phases;  ///< none: done at once

  /// Launch and all alphas.
  [[nodiscard]] TimePs alpha_ps() const;
  /// Moving `bytes` with the network to itself: the sum of phase_beta_ps().
  [[nodiscard]] TimePs beta_ps(double bytes) const;
  /// Whether both are far below kLongestPs, as nearly always; the exact sums need not be made then.
  [[nodiscard]] bool is_surely_short(double bytes) const {
    TimePs alpha = launch_ps;
    double seconds = 0;
    for (const PlanPhase& phase : phases) {
      alpha += phase.alpha_ps;
      seconds += phase.seconds_per_byte;
    }
    return alpha < kSurelyShortPs &&
           bytes * seconds < static_cast<double>(kSurelyShortPs) / static_cast<double>(kPsPerSecond);
  }

 private:
  static constexpr TimePs kSurelyShortPs = TimePs{1} << 58;  // 3 days
};

/// Moving the bytes of one phase with the network to itself, in whole picoseconds, rounded up as FluidNetwork does;
/// capped at kLongestPs.
TimePs phase_beta_ps(const PlanPhase& phase, double bytes);
/// 26 days: what takes longer alone is refused, so that sums of times cannot overflow.
inline constexpr TimePs kLongestPs = TimePs{1} << 61;

/// Fills seconds_per_byte and bottleneck from the shares.
void find_bottleneck(PlanPhase& phase, const machine::Network& network);

}  // namespace orrery::simulate

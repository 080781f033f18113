// What an operation asks of the network: phases one after the other, each of them transfers that move together at one
// common rate.
//
// A ring all-reduce over n ranks is n transfers between neighbours, 2(n-1) times over; nobody can run ahead, so all
// move at the pace of the slowest. That is one phase with one rate, however many ranks there are: each transfer moves
// 2(n-1)/n of the buffer, and a link that k of the transfers cross carries k times the common rate. Transfers that
// share the port of a device are counted as one there (link_weights.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "machine/topology/network.h"
#include "simulate/collective/algorithm.h"
#include "simulate/fluid/fluid_network.h"

namespace orrery::simulate {

// Adds up which links the transfers of a phase cross, and how often.
//
// Rates are fair between phases, so the unit in which a phase is counted decides what it gets where others are. The
// unit is what passes the port of a device: all transfers that a device starts (or that end there) share one weight
// there, as the flows of a collective share the channels of its library. An all-gather sent directly to 127 others gets
// as much of a port as a message does, and not 127 times as much.

/// Made once per network and reused: an addition costs its route, taking the result costs the links touched. Where the
/// machine routes adaptively, each transfer takes the way that those added before it, and the traffic, load least.
class LinkWeights {
 public:
  explicit LinkWeights(machine::Network network);
  LinkWeights(const LinkWeights&) = delete;
  LinkWeights& operator=(const LinkWeights&) = delete;

  /// Which of several equal ways the transfers take from here on.
  void set_flow(std::uint64_t flow) { flow_ = flow; }
  /// What else is under way, by link, in transfers; empty for nothing. Read with every addition until the next call.
  void set_traffic(std::span<const double> traffic) { traffic_ = traffic; }
  /// A transfer between two devices that moves `weight` times what a transfer of the phase moves. Returns the latency
  /// of its route.
  TimePs add(std::uint32_t source, std::uint32_t target, double weight = 1);
  struct Taken {
    std::vector<LinkShare> shares;  ///< ascending by link; 1 at the port that holds the phase back, see below
    double transfers = 1;           ///< so many of the transfers that were added are one of the weight 1
  };
  /// What was added since the last call. Of the ports of devices the one with the most to do for its bandwidth has the
  /// weight 1, counted over the transfers that start or end there; what only passes through on its way to others does
  /// not count.
  Taken take();

  [[nodiscard]] const machine::Network& network() const { return network_; }
  /// Two different devices without a way between them that were added, if any were; forgotten when asked for.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> take_unreachable();

 private:
  [[nodiscard]] double load(machine::LinkId link) const;
  [[nodiscard]] double transfers_of_port() const;

  machine::Network network_;
  bool adaptive_;
  std::span<const double> traffic_;
  std::uint64_t flow_ = 0;
  std::vector<double> weights_;            ///< by link; 0 unless in touched_
  std::vector<double> starting_, ending_;  ///< likewise, of the transfers whose first or last link it is
  std::vector<machine::LinkId> touched_;
  std::vector<machine::LinkId> route_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_;
};

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

// Adds up which links the transfers of a phase cross, and how often.
//
// Rates are fair between phases, so the unit in which a phase is counted decides what it gets where others are. The
// unit is what passes the port of a device: all transfers that a device starts (or that end there) share one weight
// there, as the flows of a collective share the channels of its library. An all-gather sent directly to 127 others gets
// as much of a port as a message does, and not 127 times as much.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "machine/topology/network.h"
#include "simulate/collective/plan.h"

namespace orrery::simulate {

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

}  // namespace orrery::simulate

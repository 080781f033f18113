// Adds up which links the transfers of a phase cross, and how often.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "machine/network.h"
#include "simulate/collective/plan.h"

namespace orrery::simulate {

/// Made once per network and reused: an addition costs its route, taking the result costs the links touched.
class LinkWeights {
 public:
  explicit LinkWeights(machine::Network network);

  /// Which of several equal ways the transfers take from here on.
  void set_flow(std::uint64_t flow) { flow_ = flow; }
  /// A transfer between two devices that moves `weight` times what a transfer of the phase moves. Returns the latency of its route.
  TimePs add(std::uint32_t source, std::uint32_t target, double weight = 1);
  /// What was added since the last call, ascending by link.
  std::vector<LinkShare> take();

  [[nodiscard]] const machine::Network& network() const { return network_; }
  /// Two different devices without a way between them that were added, if any were; forgotten when asked for.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> take_unreachable();

 private:
  machine::Network network_;
  std::uint64_t flow_ = 0;
  std::vector<double> weights_;  ///< by link; 0 unless in touched_
  std::vector<machine::LinkId> touched_;
  std::vector<machine::LinkId> route_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_;
};

}  // namespace orrery::simulate

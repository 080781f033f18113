#include "simulate/collective/plan.h"

#include <algorithm>
#include <cmath>

namespace orrery::simulate {

LinkWeights::LinkWeights(machine::Network network)
    : network_(std::move(network)),
      adaptive_(network_.routing() == machine::Routing::adaptive),
      weights_(network_.links().size()),
      starting_(network_.links().size()),
      ending_(network_.links().size()) {}

double LinkWeights::load(machine::LinkId link) const {
  const double transfers = weights_[link] + (traffic_.empty() ? 0 : traffic_[link]);
  return transfers / network_.links()[link].bytes_per_second;
}

TimePs LinkWeights::add(std::uint32_t source, std::uint32_t target, double weight) {
  if (source == target) return 0;
  route_.clear();
  // Adaptive routing looks at what the links carry so far, so the order of adding decides.
  if (adaptive_) {
    network_.append_adaptive_route(
        source, target, [this](machine::LinkId link) { return load(link); }, route_);
  } else {
    network_.append_route(source, target, flow_, route_);
  }
  if (route_.empty() && !unreachable_) unreachable_ = {source, target};
  TimePs latency = 0;
  for (const machine::LinkId link : route_) {
    // The list of touched links keeps clearing as cheap as the operation is small, however large the network.
    if (weights_[link] == 0) touched_.push_back(link);
    weights_[link] += weight;
    latency += network_.links()[link].latency_ps;
  }
  // The first and the last link are the ports of the two devices.
  if (!route_.empty()) starting_[route_.front()] += weight, ending_[route_.back()] += weight;
  return latency;
}

double LinkWeights::transfers_of_port() const {
  double slowest = 0, transfers = 0;
  for (const machine::LinkId link : touched_) {
    const double own = std::max(starting_[link], ending_[link]);
    const double seconds = own / network_.links()[link].bytes_per_second;
    // Of equally slow ports the one with more transfers, so that the answer does not hang on the order of links.
    if (seconds < slowest || (seconds == slowest && own <= transfers)) continue;
    slowest = seconds;
    transfers = own;
  }
  return transfers > 0 ? transfers : 1;
}

LinkWeights::Taken LinkWeights::take() {
  // By number, and not in the order of first touch, which depends on the order of transfers.
  std::sort(touched_.begin(), touched_.end());
  Taken taken{.shares = {}, .transfers = transfers_of_port()};
  taken.shares.reserve(touched_.size());
  for (const machine::LinkId link : touched_) {
    taken.shares.push_back({.link = link, .weight = weights_[link] / taken.transfers});
    weights_[link] = starting_[link] = ending_[link] = 0;
  }
  touched_.clear();
  return taken;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> LinkWeights::take_unreachable() {
  return std::exchange(unreachable_, std::nullopt);
}

TimePs phase_beta_ps(const PlanPhase& phase, double bytes) {
  constexpr double kNoise = 1e-12;  // as in FluidNetwork: rounding errors do not cost a picosecond
  const double ps = bytes * phase.seconds_per_byte * static_cast<double>(kPsPerSecond);
  // Also refuses what is not a number, which compares as false.
  if (!(ps < static_cast<double>(kLongestPs))) return kLongestPs;
  const double whole = std::nearbyint(ps);
  return static_cast<TimePs>(std::abs(ps - whole) <= ps * kNoise ? whole : std::ceil(ps));
}

TimePs Plan::alpha_ps() const {
  TimePs sum = launch_ps;
  for (const PlanPhase& phase : phases) sum += phase.alpha_ps;
  return sum;
}

TimePs Plan::beta_ps(double bytes) const {
  TimePs sum = 0;
  for (const PlanPhase& phase : phases) {
    const TimePs beta = phase_beta_ps(phase, bytes);
    // Asked this way round because the sum itself may overflow.
    if (beta >= kLongestPs - sum) return kLongestPs;
    sum += beta;
  }
  return sum;
}

void find_bottleneck(PlanPhase& phase, const machine::Network& network) {
  double slowest = 0;
  for (const LinkShare& share : phase.shares) {
    const double seconds = share.weight / network.links()[share.link].bytes_per_second;
    // Strictly slower only: of equals the link with the lowest number is told.
    if (seconds <= slowest) continue;
    slowest = seconds;
    phase.bottleneck = share.link;
  }
  phase.seconds_per_byte = phase.bytes_per_byte * slowest;
}

}  // namespace orrery::simulate

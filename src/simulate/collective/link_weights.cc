#include "simulate/collective/link_weights.h"

#include <algorithm>

namespace orrery::simulate {

LinkWeights::LinkWeights(machine::Network network) : network_(std::move(network)), weights_(network_.links().size()) {}

TimePs LinkWeights::add(std::uint32_t source, std::uint32_t target, double weight) {
  if (source == target) return 0;
  route_.clear();
  network_.append_route(source, target, flow_, route_);
  if (route_.empty() && !unreachable_) unreachable_ = {source, target};
  TimePs latency = 0;
  for (const machine::LinkId link : route_) {
    if (weights_[link] == 0) touched_.push_back(link);
    weights_[link] += weight;
    latency += network_.links()[link].latency_ps;
  }
  return latency;
}

std::vector<LinkShare> LinkWeights::take() {
  std::sort(touched_.begin(), touched_.end());
  std::vector<LinkShare> shares;
  shares.reserve(touched_.size());
  for (const machine::LinkId link : touched_) {
    shares.push_back({.link = link, .weight = weights_[link]});
    weights_[link] = 0;
  }
  touched_.clear();
  return shares;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> LinkWeights::take_unreachable() { return std::exchange(unreachable_, std::nullopt); }

}  // namespace orrery::simulate

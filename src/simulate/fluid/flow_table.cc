#include "simulate/fluid/flow_table.h"

#include <algorithm>
#include <cstddef>

// Routes of a few links with one weight lie in the flow itself; longer ones take blocks of an array, and freed blocks
// are kept by length. Links list their flows without order, so that removing one is a swap with the last.

namespace orrery::simulate {

std::uint32_t FlowTable::add_link(double capacity) {
  links_.push_back({});
  links_.back().capacity = capacity;
  on_link_.emplace_back();
  return link_count() - 1;
}

std::uint32_t FlowTable::add(double bytes, std::span<const LinkShare> shares, std::uint32_t limit_link) {
  new_shares_.assign(shares.begin(), shares.end());
  if (limit_link != kNoLink) new_shares_.push_back({limit_link, 1});
  const std::uint32_t id = add_apart(bytes, new_shares_);
  connect(id);
  return id;
}

std::uint32_t FlowTable::add_apart(double bytes, std::span<const LinkShare> shares) {
  const std::uint32_t id = take_id();
  set_route(id, bytes, shares);
  ++size_;
  return id;
}

std::uint32_t FlowTable::add_without_route(double bytes) {
  const std::uint32_t id = take_id();
  routes_[id].remaining = bytes;
  routes_[id].weight = 1;  // of no links: there are no shares to be given back
  routes_[id].count = 0;
  ++size_;
  return id;
}

void FlowTable::connect(std::uint32_t id) {
  for_each_share(id, [&](std::uint32_t link, double weight) {
    on_link_[link].flows.push_back(id);
    on_link_[link].weights.push_back(weight);
  });
}

std::uint32_t FlowTable::take_id() {
  if (free_flows_.empty()) {
    bottlenecks_.push_back(kNoLink);
    routes_.push_back({});
    return id_limit() - 1;
  }
  const std::uint32_t id = free_flows_.back();
  free_flows_.pop_back();
  bottlenecks_[id] = kNoLink;
  return id;
}

void FlowTable::set_route(std::uint32_t id, double bytes, std::span<const LinkShare> shares) {
  Route& route = routes_[id];
  route = {.remaining = bytes, .count = static_cast<std::uint32_t>(shares.size())};
  const bool one_weight = std::all_of(shares.begin(), shares.end(), [&](const LinkShare& share) {
    return share.weight == shares[0].weight && share.flows == 1;
  });
  // Most routes are such: no further memory is touched for them.
  if (one_weight && shares.size() <= kShortRoute) {
    route.weight = shares[0].weight;
    std::transform(shares.begin(), shares.end(), route.links.begin(),
                   [](const LinkShare& share) { return share.link; });
  } else {
    route.first_share = take_shares(route.count);
    std::copy(shares.begin(), shares.end(), shares_.begin() + route.first_share);
  }
}

std::uint32_t FlowTable::take_shares(std::uint32_t count) {
  // Blocks are kept by their exact length: routes of one network have few different ones.
  if (count < free_shares_.size() && !free_shares_[count].empty()) {
    const std::uint32_t first = free_shares_[count].back();
    free_shares_[count].pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(shares_.size());
  shares_.resize(shares_.size() + count);
  return first;
}

void FlowTable::remove(std::uint32_t id) {
  for_each_share(id, [&](std::uint32_t link, double) {
    OnLink& on_link = on_link_[link];
    const auto at = std::find(on_link.flows.begin(), on_link.flows.end(), id);
    on_link.weights[static_cast<std::size_t>(at - on_link.flows.begin())] = on_link.weights.back();
    *at = on_link.flows.back();
    on_link.flows.pop_back();
    on_link.weights.pop_back();
    if (on_link.flows
            .empty()) {  // nothing is left behind by the last: neither rounding nor when sums are next made anew
      links_[link].used = 0;
      links_[link].fastest = 0;
      links_[link].changes_since_sum = 0;
    }
  });
  remove_apart(id);
}

void FlowTable::forget_numbers() {
  bottlenecks_.clear();
  routes_.clear();
  free_flows_.clear();
  shares_.clear();
  for (std::vector<std::uint32_t>& blocks : free_shares_) blocks.clear();
}

void FlowTable::remove_apart(std::uint32_t id) {
  const Route& route = routes_[id];
  // Weight 0 marks a route that lies outside.
  if (route.weight == 0) {
    if (free_shares_.size() <= route.count) free_shares_.resize(std::size_t{route.count} + 1);
    free_shares_[route.count].push_back(route.first_share);
  }
  free_flows_.push_back(id);
  --size_;
}

}  // namespace orrery::simulate

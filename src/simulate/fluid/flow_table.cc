#include "simulate/fluid/flow_table.h"

#include <cstddef>

namespace orrery::simulate {

std::uint32_t FlowTable::add_link(double capacity) {
  links_.push_back({.capacity = capacity});
  entries_.emplace_back();
  return link_count() - 1;
}

std::uint32_t FlowTable::take_shares(std::uint32_t count) {
  if (count < free_shares_.size() && !free_shares_[count].empty()) {
    const std::uint32_t first = free_shares_[count].back();
    free_shares_[count].pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(shares_.size());
  shares_.resize(shares_.size() + count);
  return first;
}

std::uint32_t FlowTable::add(double bytes, std::span<const LinkShare> shares, std::uint32_t limit_link) {
  const auto count = static_cast<std::uint32_t>(shares.size() + (limit_link == kNoLink ? 0 : 1));
  const Flow flow{.remaining = bytes, .first_share = take_shares(count), .share_count = count};
  std::uint32_t id = 0;
  if (free_flows_.empty()) {
    id = id_limit();
    flows_.push_back(flow);
  } else {
    id = free_flows_.back();
    free_flows_.pop_back();
    flows_[id] = flow;
  }
  const auto enter = [&](std::uint32_t at, std::uint32_t link, double weight) {
    shares_[at] = {weight, link, static_cast<std::uint32_t>(entries_[link].size())};
    entries_[link].push_back({weight, id, at});
  };
  std::uint32_t at = flow.first_share;
  for (const LinkShare& share : shares) enter(at++, share.link, share.weight);
  if (limit_link != kNoLink) enter(at, limit_link, 1);
  ++size_;
  return id;
}

void FlowTable::remove(std::uint32_t id) {
  const Flow& flow = flows_[id];
  for (const Share& share : shares(flow)) {
    links_[share.link].used -= share.weight * flow.rate;
    std::vector<Entry>& entries = entries_[share.link];
    entries[share.position] = entries.back();
    shares_[entries.back().share].position = share.position;
    entries.pop_back();
    if (entries.empty()) links_[share.link].used = 0;
  }
  if (free_shares_.size() <= flow.share_count) free_shares_.resize(std::size_t{flow.share_count} + 1);
  free_shares_[flow.share_count].push_back(flow.first_share);
  free_flows_.push_back(id);
  --size_;
}

}  // namespace orrery::simulate

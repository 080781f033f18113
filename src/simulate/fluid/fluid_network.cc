#include "simulate/fluid/fluid_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace orrery::simulate {
namespace {

/// Durations this close, relatively, to a whole number of picoseconds are that number: the rest is rounding.
constexpr double kNoise = 1e-12;
constexpr double kPsPerSecondDouble = 1e12;

/// Whole picoseconds until `bytes` are through.
TimePs duration_ps(double bytes, double rate) {
  const double ps = bytes / rate * kPsPerSecondDouble;
  constexpr double kMost = 9e18;  // 104 days
  if (!(ps < kMost)) return static_cast<TimePs>(kMost);
  const double whole = std::nearbyint(ps);
  return static_cast<TimePs>(std::abs(ps - whole) <= ps * kNoise ? whole : std::ceil(ps));
}

}  // namespace

FluidNetwork::FluidNetwork(std::span<const double> bytes_per_second)
    : link_count_(static_cast<std::uint32_t>(bytes_per_second.size())), solver_(flows_), history_(bytes_per_second.size()) {
  for (const double capacity : bytes_per_second) flows_.add_link(capacity);
  finishes_.resize(bytes_per_second.size());
}

FluidNetwork::FlowId FluidNetwork::add(double bytes, std::span<const LinkShare> shares, TimePs now, double rate_limit) {
  assert(bytes > 0 && rate_limit > 0 && (!shares.empty() || std::isfinite(rate_limit)));
  move_clock(now);
  const FlowId id = flows_.add(bytes, shares, std::isfinite(rate_limit) ? limit_link(rate_limit) : FlowTable::kNoLink);
  if (bytes_.size() <= id) bytes_.resize(std::size_t{id} + 1);
  bytes_[id] = bytes;
  for (const LinkShare& share : shares) {
    LinkHistory& history = history_[share.link];
    const auto count = static_cast<std::uint32_t>(flows_.flows(share.link).size());
    if (count == 1) history.busy_since = now;
    history.peak_flows = std::max(history.peak_flows, count);
  }
  solver_.added(id);
  changed_ = true;
  return id;
}

/// A link that only the flow with this limit takes.
std::uint32_t FluidNetwork::limit_link(double rate_limit) {
  if (free_limits_.empty()) {
    const std::uint32_t link = flows_.add_link(rate_limit);
    finishes_.resize(std::size_t{link} + 1);
    return link;
  }
  const std::uint32_t link = free_limits_.back();
  free_limits_.pop_back();
  flows_.link(link).capacity = rate_limit;
  return link;
}

TimePs FluidNetwork::next_completion() {
  if (changed_) solve();
  return finishes_.earliest();
}

void FluidNetwork::advance(TimePs now, std::vector<FlowId>& finished) {
  move_clock(now);
  assert(now <= finishes_.earliest());
  const auto first_new = static_cast<std::ptrdiff_t>(finished.size());
  while (finishes_.earliest() <= now) collect_finished(finishes_.first(), finished);
  std::sort(finished.begin() + first_new, finished.end());
  for (auto flow = finished.begin() + first_new; flow != finished.end(); ++flow) remove(*flow);
}

machine::LinkId FluidNetwork::bottleneck(FlowId flow) const {
  const std::uint32_t link = flows_.bottleneck(flow);
  return link < link_count_ ? link : Price::kNoLink;
}

LinkTotals FluidNetwork::totals(machine::LinkId link) const {
  const LinkHistory& history = history_[link];
  LinkTotals totals{.bytes = history.finished_bytes, .busy_ps = history.busy_ps, .peak_flows = history.peak_flows};
  const std::span<const std::uint32_t> flows = flows_.flows(link);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::uint32_t flow = flows[i];
    if (flows_.bottleneck(flow) == FlowTable::kNoLink) continue;  // has not moved yet
    totals.bytes += flows_.weights(link)[i] * (bytes_[flow] - solver_.frozen().remaining(flow, now_));
  }
  if (!flows.empty()) totals.busy_ps += now_ - history.busy_since;
  return totals;
}

/// What changed at the present moment must be solved before time passes.
void FluidNetwork::move_clock(TimePs now) {
  assert(now >= now_);
  if (changed_ && now > now_) solve();
  now_ = now;
}

void FluidNetwork::solve() {
  solver_.solve(now_);
  changed_ = false;
  for (const std::uint32_t link : solver_.reopened_links()) finishes_.set(link, kNever);
  for (const std::uint32_t link : solver_.frozen_links()) {
    // The last of them may have been thawed since, by a link saturated at the same level.
    if (flows_.link(link).frozen_count == 0) continue;
    finishes_.set(link, now_ + duration_ps(solver_.frozen().least_remaining(link, now_), flows_.link(link).level));
  }
}

/// Flows frozen at a link have its rate, so that those with the least remaining bytes end first. What else is frozen there ends later.
void FluidNetwork::collect_finished(std::uint32_t id, std::vector<FlowId>& finished) {
  const FlowTable::Link& link = flows_.link(id);
  const FrozenFlows& frozen = solver_.frozen();
  for (const std::uint32_t flow : flows_.flows(id)) {
    if (flows_.bottleneck(flow) != id) continue;
    if (frozen.since_ps(id) + duration_ps(frozen.remaining_then(flow), link.level) <= now_) finished.push_back(flow);
  }
  finishes_.set(id, kNever);  // until the next solve, which the departures cause
}

void FluidNetwork::remove(FlowId id) {
  solver_.removing(id);
  flows_.for_each_share(id, [&](std::uint32_t link, double weight) {
    if (link >= link_count_) {
      free_limits_.push_back(link);
      return;
    }
    LinkHistory& history = history_[link];
    history.finished_bytes += weight * bytes_[id];
    if (flows_.flows(link).size() == 1) history.busy_ps += now_ - history.busy_since;
  });
  flows_.remove(id);
  changed_ = true;
}

}  // namespace orrery::simulate

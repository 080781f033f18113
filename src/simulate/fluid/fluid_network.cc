#include "simulate/fluid/fluid_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

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
  for (std::size_t link = 0; link < bytes_per_second.size(); ++link) {
    flows_.add_link(bytes_per_second[link]);
    history_[link].capacity = bytes_per_second[link];
  }
  finishes_.resize(bytes_per_second.size());
}

FluidNetwork::FlowId FluidNetwork::add(double bytes, std::span<const LinkShare> shares, TimePs now, double rate_limit) {
  assert(bytes > 0 && rate_limit > 0 && (!shares.empty() || std::isfinite(rate_limit)));
  move_clock(now);
  bool alone = !std::isfinite(rate_limit);
  for (const LinkShare& share : shares) {
    LinkHistory& history = history_[share.link];
    if (history.alone != kNoFlow) join(history.alone);
    if (history.flows == 0) history.busy_since = now;
    else alone = false;
    history.peak_flows = std::max(history.peak_flows, ++history.flows);
  }
  const FlowId id = alone ? flows_.add_apart(bytes, shares)
                          : flows_.add(bytes, shares, std::isfinite(rate_limit) ? limit_link(rate_limit) : FlowTable::kNoLink);
  if (bytes_.size() <= id) bytes_.resize(std::size_t{id} + 1), alone_.resize(std::size_t{id} + 1);
  bytes_[id] = bytes;
  if (alone) {
    start_alone(id, bytes, shares);
    return id;
  }
  solver_.added(id);
  changed_ = true;
  return id;
}

void FluidNetwork::start_alone(FlowId id, double bytes, std::span<const LinkShare> shares) {
  double rate = FlowTable::kUnbound;
  std::uint32_t bottleneck = FlowTable::kNoLink;
  for (const LinkShare& share : shares) {
    LinkHistory& history = history_[share.link];
    history.alone = id;
    // Most links do not decide it, and to see that takes no division.
    if (history.capacity > rate * share.weight * (1 + kNoise)) continue;
    const double level = history.capacity / share.weight;
    if (level > rate || (level == rate && share.link > bottleneck)) continue;
    rate = level;
    bottleneck = share.link;
  }
  flows_.set_bottleneck(id, bottleneck);
  alone_[id] = {rate, now_, moments_};
  finishes_.set(bottleneck, now_ + duration_ps(bytes, rate));
}

/// Another flow takes one of the links of this one, which is in the solver from now on.
void FluidNetwork::join(FlowId id) {
  flows_.connect(id);
  flows_.for_each_share(id, [&](std::uint32_t link, double) { history_[link].alone = kNoFlow; });
  const Alone alone = std::exchange(alone_[id], Alone{});
  const std::uint32_t bottleneck = flows_.bottleneck(id);
  if (alone.moment != moments_) return solver_.added_frozen(id, bottleneck, alone.rate, alone.since_ps);
  // They came at one moment, and are solved together.
  flows_.set_bottleneck(id, FlowTable::kNoLink);
  finishes_.set(bottleneck, kNever);
  solver_.added(id);
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
  ++moments_;
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
  if (history.flows > 0) totals.busy_ps += now_ - history.busy_since;
  if (history.alone != kNoFlow) {
    flows_.for_each_share(history.alone, [&](std::uint32_t other, double weight) {
      if (other == link) totals.bytes += weight * moved_bytes(history.alone);
    });
    return totals;
  }
  const std::span<const std::uint32_t> flows = flows_.flows(link);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows_.bottleneck(flows[i]) != FlowTable::kNoLink) totals.bytes += flows_.weights(link)[i] * moved_bytes(flows[i]);
  }
  return totals;
}

double FluidNetwork::moved_bytes(FlowId flow) const {
  if (!is_alone(flow)) return bytes_[flow] - solver_.frozen().remaining(flow, now_);
  return std::min(bytes_[flow], alone_[flow].rate * static_cast<double>(now_ - alone_[flow].since_ps) / kPsPerSecondDouble);
}

/// What changed at the present moment must be solved before time passes.
void FluidNetwork::move_clock(TimePs now) {
  assert(now >= now_);
  if (now == now_) return;
  if (changed_) solve();
  ++moments_;
  now_ = now;
}

void FluidNetwork::solve() {
  solver_.solve(now_);
  changed_ = false;
  for (const std::uint32_t link : solver_.reopened_links()) {
    // Where all went, one that has the link to itself may have come at the same moment: its end stands.
    if (link >= link_count_ || history_[link].alone == kNoFlow) finishes_.set(link, kNever);
  }
  for (const std::uint32_t link : solver_.frozen_links()) {
    // The last of them may have been thawed since, by a link saturated at the same level.
    if (flows_.link(link).frozen_count == 0) continue;
    finishes_.set(link, now_ + duration_ps(solver_.frozen().least_remaining(link, now_), flows_.link(link).level));
  }
}

/// Flows frozen at a link have its rate, so that those with the least remaining bytes end first. What else is frozen there ends later.
void FluidNetwork::collect_finished(std::uint32_t id, std::vector<FlowId>& finished) {
  finishes_.set(id, kNever);  // until the next solve, which the departures cause
  if (id < link_count_ && history_[id].alone != kNoFlow) {
    finished.push_back(history_[id].alone);
    return;
  }
  const FlowTable::Link& link = flows_.link(id);
  const FrozenFlows& frozen = solver_.frozen();
  for (const std::uint32_t flow : flows_.flows(id)) {
    if (flows_.bottleneck(flow) != id) continue;
    if (frozen.since_ps(id) + duration_ps(frozen.remaining_then(flow), link.level) <= now_) finished.push_back(flow);
  }
}

void FluidNetwork::remove(FlowId id) {
  const bool alone = is_alone(id);
  if (!alone) solver_.removing(id);
  flows_.for_each_share(id, [&](std::uint32_t link, double weight) {
    if (link >= link_count_) {
      free_limits_.push_back(link);
      return;
    }
    LinkHistory& history = history_[link];
    history.finished_bytes += weight * bytes_[id];
    history.alone = kNoFlow;
    if (--history.flows == 0) history.busy_ps += now_ - history.busy_since;
  });
  if (alone) {
    alone_[id] = {};
    flows_.remove_apart(id);  // nobody gets what it leaves
    return;
  }
  flows_.remove(id);
  changed_ = true;
}

}  // namespace orrery::simulate

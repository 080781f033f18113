#include "simulate/fluid/fluid_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <utility>

// Three speeds, one result. A flow that has all its links to itself is timed by a division, without the solver (Alone).
// A long route that was free before and is used again is leased: even its links are not looked at. As soon as another
// flow takes one of the links, the lone flow joins the solver with the rate it had. Ends are kept per bottleneck link,
// since flows frozen at one link have one rate and end in the order of what they have left.

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

FluidNetwork::FluidNetwork(std::span<const double> bytes_per_second, LinkRecorder* recorder)
    : link_count_(static_cast<std::uint32_t>(bytes_per_second.size())),
      solver_(flows_),
      recorder_(recorder),
      history_(bytes_per_second.size()) {
  solver_.frozen().set_recorder(recorder);
  for (std::size_t link = 0; link < bytes_per_second.size(); ++link) {
    flows_.add_link(bytes_per_second[link]);
    history_[link].capacity = bytes_per_second[link];
  }
  finishes_.resize(bytes_per_second.size());
}

FluidNetwork::FlowId FluidNetwork::add(double bytes, std::span<const LinkShare> shares, TimePs now, double rate_limit) {
  assert(bytes > 0 && rate_limit > 0 && (!shares.empty() || std::isfinite(rate_limit)));
  move_clock(now);
  called_off_.clear();
  if (!std::isfinite(rate_limit)) {
    if (const FlowId id = start_leased(bytes, shares, kNoRoute, now, moments_); id != kNoFlow) return id;
  }
  end_leases(shares);
  Alone alone = find_alone(shares);
  // What was reserved for later gives way to what flows now; whoever reserved it is told, and asks again.
  if (alone.rate == 0 && call_off(shares)) alone = find_alone(shares);
  if (alone.rate > 0 && !std::isfinite(rate_limit)) return start_alone(alone, bytes, shares);
  for (const LinkShare& share : shares) {
    LinkHistory& history = history_[share.link];
    if (history.alone != kNoFlow) join(history.alone);
    if (history.flows == 0) history.busy_since = now;
    history.flows += share.flows;
    history.peak_flows = std::max(history.peak_flows, history.flows);
  }
  const FlowId id = flows_.add(bytes, shares, std::isfinite(rate_limit) ? limit_link(rate_limit) : FlowTable::kNoLink);
  set_size(id, bytes);
  solver_.added(id);
  changed_ = true;
  return id;
}

FluidNetwork::FlowId FluidNetwork::reserve(double bytes, std::span<const LinkShare> shares, TimePs now, TimePs begin,
                                           RouteNumber route) {
  assert(bytes > 0 && begin >= now);
  move_clock(now);
  if (const FlowId id = start_leased(bytes, shares, route, begin, kReserved); id != kNoFlow) return id;
  end_leases(shares);
  Alone alone = find_alone(shares);
  if (alone.rate == 0) return kNoFlow;
  alone.since_ps = begin;
  alone.moment = kReserved;
  return start_alone(alone, bytes, shares);
}

/// Whether there were flows that are to start later on these links.
bool FluidNetwork::call_off(std::span<const LinkShare> shares) {
  for (const LinkShare& share : shares) {
    const FlowId id = history_[share.link].alone;
    if (id == kNoFlow || alone_[id].since_ps <= now_) continue;
    flows_.for_each_share(id, [&](std::uint32_t link, double) { history_[link].alone = kNoFlow; });
    finishes_.set(alone_[id].bottleneck, kNever);
    alone_[id] = {};
    flows_.remove_apart(id);
    called_off_.push_back(id);
  }
  return !called_off_.empty();
}

void FluidNetwork::set_size(FlowId id, double bytes) {
  if (bytes_.size() <= id) bytes_.resize(std::size_t{id} + 1), alone_.resize(std::size_t{id} + 1);
  bytes_[id] = bytes;
}

/// How a flow on these links goes if nobody else is on any of them; with a rate of 0 if somebody is.
FluidNetwork::Alone FluidNetwork::find_alone(std::span<const LinkShare> shares) const {
  double rate = FlowTable::kUnbound, not_below = FlowTable::kUnbound, capacity = 0,
         weight = 0;  // of the bottleneck so far
  std::uint32_t bottleneck = FlowTable::kNoLink;
  for (const LinkShare& share : shares) {
    const LinkHistory& history = history_[share.link];
    if (history.flows > 0 || history.alone != kNoFlow) return {};
    // Most links do not decide it, and to see that takes no division: they are wider, or as wide as the one that does.
    // The quotient may round up: only what is clearly above cannot be the bottleneck.
    if (history.capacity > not_below * share.weight) continue;
    if (history.capacity == capacity && share.weight == weight && share.link > bottleneck) continue;
    const double level = history.capacity / share.weight;
    // Of equal links the one with the lowest number, so that the bottleneck does not depend on the order of the route.
    if (level > rate || (level == rate && share.link > bottleneck)) continue;
    rate = level;
    not_below = rate * (1 + kNoise);
    capacity = history.capacity;
    weight = share.weight;
    bottleneck = share.link;
  }
  return {rate, bottleneck, now_, moments_};
}

FluidNetwork::FlowId FluidNetwork::start_alone(const Alone& alone, double bytes, std::span<const LinkShare> shares) {
  const FlowId id = flows_.add_apart(bytes, shares);
  set_size(id, bytes);
  alone_[id] = alone;
  flows_.set_bottleneck(id, alone.bottleneck);
  for (const LinkShare& share : shares) history_[share.link].alone = id;
  finishes_.set(alone.bottleneck, alone.since_ps + duration_ps(bytes, alone.rate));
  return id;
}

/// Another flow takes one of the links of this one, which is in the solver from now on.
void FluidNetwork::join(FlowId id) {
  const Alone alone = std::exchange(alone_[id], Alone{});
  flows_.connect(id);
  flows_.for_each_link(id, [&](const LinkShare& share) {
    LinkHistory& history = history_[share.link];
    history.alone = kNoFlow;
    history.flows = share.flows;
    history.busy_since = alone.since_ps;
    history.peak_flows = std::max(history.peak_flows, share.flows);
  });
  const bool came_now = alone.moment == kReserved ? alone.since_ps == now_ : alone.moment == moments_;
  if (!came_now) return solver_.added_frozen(id, alone.bottleneck, alone.rate, alone.since_ps);
  // They came at one moment, and are solved together.
  flows_.set_bottleneck(id, FlowTable::kNoLink);
  finishes_.set(alone.bottleneck, kNever);
  solver_.added(id);
}

/// Nobody gets what it leaves: there is nothing to solve.
void FluidNetwork::end_alone(FlowId id) {
  if (alone_[id].lease != RouteLeases::kNone) return end_leased(id);
  const Alone alone = std::exchange(alone_[id], Alone{});
  const TimePs since = alone.since_ps, busy = now_ - since;
  const double bytes = bytes_[id];
  // Most flows weigh the same on all their links, or on one after the other.
  double weight_before = 0;
  ByteSum carried;
  flows_.for_each_link(id, [&](const LinkShare& share) {
    if (share.weight != weight_before) {
      weight_before = share.weight;
      carried = ByteSum();
      carried.add(share.weight * bytes);
    }
    LinkHistory& history = history_[share.link];
    history.finished_bytes.add(carried);
    history.busy_ps += busy;
    history.peak_flows = std::max(history.peak_flows, share.flows);
    history.alone = kNoFlow;
    if (recorder_ != nullptr) recorder_->add(share.link, since, now_, share.weight * bytes);
  });
  lease_route(alone, id);
  flows_.remove_apart(id);
}

/// kNoFlow unless the links of this route are kept for it, and it is free.
FluidNetwork::FlowId FluidNetwork::start_leased(double bytes, std::span<const LinkShare> shares, RouteNumber route,
                                                TimePs begin, std::uint64_t moment) {
  if (shares.size() <= FlowTable::kShortRoute) return kNoFlow;
  const RouteLeases::Number number = leases_.find(shares, route);
  if (number == RouteLeases::kNone || leases_[number].is_active()) return kNoFlow;
  RouteLease& lease = leases_[number];
  // A commitment was made for this route, and another flow is on it before that has ended: predictions have failed.
  mispredicted_ |= lease.taken_until_ps > now_;
  const FlowId id = flows_.add_without_route(bytes);
  set_size(id, bytes);
  alone_[id] = {lease.rate, lease.bottleneck, begin, moment, number};
  flows_.set_bottleneck(id, lease.bottleneck);
  finishes_.set(lease.bottleneck, begin + duration_ps(bytes, lease.rate));
  lease.flow = id;
  return id;
}

void FluidNetwork::end_leased(FlowId id) {
  const Alone alone = std::exchange(alone_[id], Alone{});
  RouteLease& lease = leases_[alone.lease];
  count_leased(lease, bytes_[id], now_ - alone.since_ps);
  lease.served += lease.served < RouteLease::kTrusted ? 1 : 0;
  lease.flow = kNoFlow;
  flows_.remove_apart(id);
}

void FluidNetwork::count_leased(RouteLease& lease, double bytes, TimePs busy_ps) {
  if (lease.bytes != bytes) tell_links(lease);
  lease.bytes = bytes;
  ++lease.ended;
  lease.busy_ps += busy_ps;
}

std::optional<PredictedOp> FluidNetwork::predict(double bytes, std::span<const LinkShare> shares, TimePs begin,
                                                 RouteNumber route) {
  if (shares.size() <= FlowTable::kShortRoute) return std::nullopt;
  const RouteLeases::Number number = leases_.find(shares, route);
  if (number == RouteLeases::kNone) return std::nullopt;
  const RouteLease& lease = leases_[number];
  if (lease.is_active() || !lease.is_trusted() || lease.taken_until_ps > begin) return std::nullopt;
  return PredictedOp{begin + duration_ps(bytes, lease.rate), begin, bytes, number};
}

void FluidNetwork::commit(const PredictedOp& flow) {
  RouteLease& lease = leases_[flow.place];
  count_leased(lease, flow.flow_bytes, flow.end_ps - flow.flow_begin_ps);
  lease.taken_until_ps = flow.end_ps;
}

/// Of a flow that ends, and has its links to itself. Short routes are those of messages, of which the next may take
/// another way.
void FluidNetwork::lease_route(const Alone& alone, FlowId flow) {
  if (flows_.route_length(flow) <= FlowTable::kShortRoute) return;
  if (recorder_ != nullptr) return;  // it wants to know of every flow on every link
  new_lease_.clear();
  flows_.for_each_link(flow, [&](const LinkShare& share) { new_lease_.push_back(share); });
  if (!RouteLease::can_be_of(new_lease_)) return;
  const RouteLeases::Number number = leases_.place(new_lease_);
  if (leases_[number].is_active() || leases_[number].taken_until_ps > now_) return;
  end_lease(number);
  RouteLease& lease = leases_[number];
  lease.served = 0;
  lease.is_disputed = std::any_of(new_lease_.begin(), new_lease_.end(),
                                  [&](const LinkShare& share) { return history_[share.link].is_disputed; });
  lease.shares.assign(new_lease_.begin(), new_lease_.end());
  lease.rate = alone.rate;
  lease.bottleneck = alone.bottleneck;
  for (const LinkShare& share : lease.shares) history_[share.link].lease = number;
}

/// Its links are as if it had never been; a flow on them is one that came without it.
void FluidNetwork::end_lease(RouteLeases::Number number) {
  RouteLease& lease = leases_[number];
  mispredicted_ |= lease.taken_until_ps > now_;
  lease.taken_until_ps = 0;
  tell_links(lease);
  if (lease.is_active()) {
    flows_.set_route(lease.flow, bytes_[lease.flow], lease.shares);
    alone_[lease.flow].lease = RouteLeases::kNone;
  }
  for (const LinkShare& share : lease.shares) {
    history_[share.link].lease = RouteLeases::kNone;
    history_[share.link].alone = lease.flow;
  }
  lease.flow = kNoFlow;
  lease.shares.clear();
  ++lease.term;
}

void FluidNetwork::end_leases(std::span<const LinkShare> shares) {
  for (const LinkShare& share : shares) {
    LinkHistory& history = history_[share.link];
    if (history.lease == RouteLeases::kNone) continue;
    history.is_disputed = true;
    end_lease(history.lease);
  }
}

void FluidNetwork::tell_links(RouteLease& lease) {
  if (lease.ended == 0) return;
  for (const LinkShare& share : lease.shares) history_[share.link] = told_of(lease, share, history_[share.link]);
  lease.ended = 0;
  lease.busy_ps = 0;
}

/// The history of a link with what the flows of its lease carried that ended.
FluidNetwork::LinkHistory FluidNetwork::told_of(const RouteLease& lease, const LinkShare& share, LinkHistory history) {
  ByteSum carried;
  carried.add(share.weight * lease.bytes);
  history.finished_bytes.add(carried, lease.ended);
  history.busy_ps += lease.busy_ps;
  history.peak_flows = std::max(history.peak_flows, share.flows);
  return history;
}

FluidNetwork::LinkHistory FluidNetwork::whole_history(machine::LinkId link) const {
  const LinkHistory& history = history_[link];
  if (history.lease == RouteLeases::kNone || leases_[history.lease].ended == 0) return history;
  const RouteLease& lease = leases_[history.lease];
  return told_of(lease, lease.share(link), history);
}

/// The flow that has the link to itself; kNoFlow if none does.
FluidNetwork::FlowId FluidNetwork::lone_flow(machine::LinkId link) const {
  const LinkHistory& history = history_[link];
  return history.lease == RouteLeases::kNone ? history.alone : leases_[history.lease].flow;
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
  if (finishes_.earliest() > now) return;
  const auto first_new = static_cast<std::ptrdiff_t>(finished.size());
  while (finishes_.earliest() <= now) collect_finished(finishes_.first(), finished);
  // By number: the order of removal decides how sums are rounded, and must not depend on how flows were found.
  std::sort(finished.begin() + first_new, finished.end());
  for (auto flow = finished.begin() + first_new; flow != finished.end(); ++flow) remove(*flow);
}

/// Levels that the last flows left behind go with the solve that their departure causes; what is left are the numbers
/// of flows, which decide in which order equal ones are gone through.
void FluidNetwork::forget_flows() {
  assert(flows_.size() == 0);
  if (changed_) solve();
  called_off_.clear();
  flows_.forget_numbers();
  std::sort(free_limits_.begin(), free_limits_.end(),
            std::greater<>());  // taken from the back: in the order in which they were made
}

machine::LinkId FluidNetwork::bottleneck(FlowId flow) const {
  const std::uint32_t link = flows_.bottleneck(flow);
  return link < link_count_ ? link : Price::kNoLink;
}

LinkTotals FluidNetwork::totals(machine::LinkId link) const {
  const LinkHistory history = whole_history(link);
  LinkTotals totals{
      .bytes = history.finished_bytes.bytes(), .busy_ps = history.busy_ps, .peak_flows = history.peak_flows};
  if (history.flows > 0) totals.busy_ps += now_ - history.busy_since;
  const FlowId alone = lone_flow(link);
  // A reserved flow that has not begun keeps no link busy yet.
  if (alone != kNoFlow && alone_[alone].since_ps <= now_) {
    totals.busy_ps += now_ - alone_[alone].since_ps;
    const auto count = [&](const LinkShare& share) {
      totals.peak_flows = std::max(totals.peak_flows, share.flows);
      totals.bytes += share.weight * moved_bytes(alone);
    };
    if (history.lease != RouteLeases::kNone) count(leases_[history.lease].share(link));
    flows_.for_each_link(alone, [&](const LinkShare& share) {
      if (share.link == link) count(share);
    });
    return totals;
  }
  const std::span<const std::uint32_t> flows = flows_.flows(link);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows_.bottleneck(flows[i]) != FlowTable::kNoLink)
      totals.bytes += flows_.weights(link)[i] * moved_bytes(flows[i]);
  }
  return totals;
}

double FluidNetwork::moved_bytes(FlowId flow) const {
  if (!is_alone(flow)) return bytes_[flow] - solver_.frozen().remaining(flow, now_);
  return std::min(bytes_[flow],
                  alone_[flow].rate * static_cast<double>(now_ - alone_[flow].since_ps) / kPsPerSecondDouble);
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
    if (link >= link_count_ || lone_flow(link) == kNoFlow) finishes_.set(link, kNever);
  }
  for (const std::uint32_t link : solver_.frozen_links()) {
    // The last of them may have been thawed since, by a link saturated at the same level.
    if (flows_.link(link).frozen_count == 0) continue;
    finishes_.set(link, now_ + duration_ps(solver_.frozen().least_remaining(link, now_), flows_.link(link).level));
  }
}

/// Flows frozen at a link have its rate, so that those with the least remaining bytes end first. What else is frozen
/// there ends later.
void FluidNetwork::collect_finished(std::uint32_t id, std::vector<FlowId>& finished) {
  finishes_.set(id, kNever);  // until the next solve, which the departures cause
  if (const FlowId alone = id < link_count_ ? lone_flow(id) : kNoFlow; alone != kNoFlow) {
    finished.push_back(alone);
    return;
  }
  const FlowTable::Link& link = flows_.link(id);
  const FrozenFlows& frozen = solver_.frozen();
  for (const std::uint32_t flow : flows_.flows(id)) {
    if (flows_.bottleneck(flow) != id) continue;
    // Counted from when they were frozen, not from now: each flow is rounded once.
    if (frozen.since_ps(id) + duration_ps(frozen.remaining_then(flow), link.level) <= now_) finished.push_back(flow);
  }
}

void FluidNetwork::remove(FlowId id) {
  if (is_alone(id)) return end_alone(id);
  if (flows_.bottleneck(id) != FlowTable::kNoLink) solver_.frozen().record(flows_.bottleneck(id), now_);
  solver_.removing(id);
  flows_.for_each_link(id, [&](const LinkShare& share) {
    if (share.link >= link_count_) {
      free_limits_.push_back(share.link);
      return;
    }
    LinkHistory& history = history_[share.link];
    history.finished_bytes.add(share.weight * bytes_[id]);
    history.flows -= share.flows;
    if (history.flows == 0) history.busy_ps += now_ - history.busy_since;
  });
  flows_.remove(id);
  changed_ = true;
}

}  // namespace orrery::simulate

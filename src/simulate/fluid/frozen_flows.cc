#include "simulate/fluid/frozen_flows.h"

#include <algorithm>

// Per bottleneck a set with what each of its flows was served, the least that is left, and the weights with which the
// flows cross other links. Freezing and thawing change these sums; they are made anew once in a while, before rounding
// shows.

namespace orrery::simulate {
namespace {

constexpr double kSecondsPerPs = 1e-12;

}  // namespace

void FrozenFlows::freeze(std::uint32_t id, std::span<const std::uint32_t> flows, TimePs now) {
  if (sets_.size() <= id) sets_.resize(table_.link_count());
  Set& set = sets_[id];
  FlowTable::Link& link = table_.link(id);
  if (link.frozen_count == 0) set.served = 0, set.changes = 0, set.recorded_ps = now;
  // What was served is counted from when they came together: among few bytes and many the rounding of many would show.
  settle(id);
  set.since_ps = now;
  // Sums that are changed again and again gather rounding: once in a while they are made anew.
  if (set.changes + flows.size() > FlowTable::kChangesUntilSummedUp && link.frozen_count > 0) sum_up_crossings(id);
  find_slots(set);
  for (const std::uint32_t flow : flows) {
    table_.set_bottleneck(flow, id);
    add_crossings(set, flow);
    const double remaining = table_.remaining(flow);
    // A least that is not known stays so until somebody asks.
    if (set.least_is_known || link.frozen_count == 0) {
      set.least = link.frozen_count == 0 ? remaining : std::min(set.least, remaining);
      set.least_is_known = true;
    }
    ++link.frozen_count;
  }
  link.frozen_weight = set.crossings[slots_[id].at].weight;
}

void FrozenFlows::thaw(std::uint32_t flow, TimePs now) {
  const std::uint32_t id = table_.bottleneck(flow);
  Set& set = sets_[id];
  FlowTable::Link& link = table_.link(id);
  record(id, now);
  const double before = table_.remaining(flow);
  table_.remaining(flow) = remaining(flow, now);
  table_.set_bottleneck(flow, FlowTable::kNoLink);
  if (--link.frozen_count == 0) {
    set.crossings.clear();
    link.frozen_weight = 0;
    return;
  }
  // The flow that leaves may have been the one with least: it is looked for when it is asked for.
  if (before <= set.least) set.least_is_known = false;
  find_slots(set);
  remove_crossings(set, flow);
  link.frozen_weight = set.crossings[slots_[id].at].weight;
}

void FrozenFlows::serve(std::uint32_t id, TimePs now) {
  record(id, now);
  Set& set = sets_[id];
  set.served += table_.link(id).level * static_cast<double>(now - set.since_ps) * kSecondsPerPs;
  set.since_ps = now;
  if (++set.times_served >= FlowTable::kChangesUntilSummedUp) settle(id);
}

double FrozenFlows::remaining_then(std::uint32_t flow) const {
  // Rounding may take it below zero.
  return std::max(0.0, table_.remaining(flow) - sets_[table_.bottleneck(flow)].served);
}

double FrozenFlows::remaining(std::uint32_t flow, TimePs now) const {
  const std::uint32_t link = table_.bottleneck(flow);
  const double seconds = static_cast<double>(now - sets_[link].since_ps) * kSecondsPerPs;
  return std::max(0.0, remaining_then(flow) - table_.link(link).level * seconds);
}

double FrozenFlows::least_remaining(std::uint32_t id, TimePs now) {
  Set& set = sets_[id];
  if (!set.least_is_known) {
    set.least = FlowTable::kUnbound;
    for (const std::uint32_t flow : table_.flows(id)) {
      if (table_.bottleneck(flow) == id) set.least = std::min(set.least, table_.remaining(flow));
    }
    set.least_is_known = true;
  }
  const double seconds = static_cast<double>(now - set.since_ps) * kSecondsPerPs;
  return std::max(0.0, set.least - set.served - table_.link(id).level * seconds);
}

void FrozenFlows::tell_recorder(std::uint32_t id, TimePs now) {
  Set& set = sets_[id];
  // A flow that has ended is thawed as of when its level began to hold: that was told of when it ended.
  if (now <= set.recorded_ps) return;
  const double each = table_.link(id).level * static_cast<double>(now - set.recorded_ps) * kSecondsPerPs;
  for (const Crossing& crossing : set.crossings)
    recorder_->add(crossing.link, set.recorded_ps, now, crossing.weight * each);
  set.recorded_ps = now;
}

/// Takes what was served off the flows.
void FrozenFlows::settle(std::uint32_t id) {
  Set& set = sets_[id];
  set.times_served = 0;
  if (set.served == 0) return;
  for (const std::uint32_t flow : table_.flows(id)) {
    if (table_.bottleneck(flow) == id) table_.remaining(flow) = std::max(0.0, table_.remaining(flow) - set.served);
  }
  set.least = std::max(0.0, set.least - set.served);
  set.served = 0;
}

void FrozenFlows::sum_up_crossings(std::uint32_t id) {
  Set& set = sets_[id];
  set.crossings.clear();
  find_slots(set);
  for (const std::uint32_t flow : table_.flows(id)) {
    if (table_.bottleneck(flow) == id) add_crossings(set, flow);
  }
  set.changes = 0;
}

void FrozenFlows::find_slots(const Set& set) {
  if (slots_.size() < table_.link_count()) slots_.resize(table_.link_count());
  if (++round_ == 0) {  // rounds begin anew: no old slot may be taken for a new one
    std::fill(slots_.begin(), slots_.end(), Slot{});
    round_ = 1;
  }
  for (std::uint32_t i = 0; i < set.crossings.size(); ++i) slots_[set.crossings[i].link] = {round_, i};
}

void FrozenFlows::add_crossings(Set& set, std::uint32_t flow) {
  ++set.changes;
  table_.for_each_share(flow, [&](std::uint32_t link, double weight) {
    Slot& slot = slots_[link];
    if (slot.round == round_) {
      set.crossings[slot.at].weight += weight;
      ++set.crossings[slot.at].count;
    } else {
      slot = {round_, static_cast<std::uint32_t>(set.crossings.size())};
      set.crossings.push_back({weight, link, 1});
    }
  });
}

void FrozenFlows::remove_crossings(Set& set, std::uint32_t flow) {
  ++set.changes;
  table_.for_each_share(flow, [&](std::uint32_t link, double weight) {
    Crossing& crossing = set.crossings[slots_[link].at];
    crossing.weight -= weight;
    if (--crossing.count > 0) return;
    // The last takes its place, so that the list stays dense.
    crossing = set.crossings.back();
    slots_[crossing.link].at = slots_[link].at;
    set.crossings.pop_back();
  });
}

}  // namespace orrery::simulate

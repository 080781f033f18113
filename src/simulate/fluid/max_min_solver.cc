#include "simulate/fluid/max_min_solver.h"

#include <algorithm>

// Progressive filling from the lowest level upwards, over links that something changed at. A queue has the level at
// which each link is known to have an event; an entry that is out of date is recognised when its turn comes. Flows
// whose bottleneck is not reached keep their rates, and are thawed only if a link they cross is saturated below them.
// Sums drift by rounding as flows come and go, so that a link is summed up anew after so many changes.

namespace orrery::simulate {
namespace {

/// Levels this close, relatively, may be one level that was rounded differently: a flow that much above a saturated
/// link's level stays where it is frozen.
constexpr double kTie = 1e-12;
/// Part of a link's capacity by which its sum may exceed it from rounding alone.
constexpr double kOverfull = 1e-12;

/// As a float, and not below it.
float rounded_up(double level) { return static_cast<float>(level * (1 + 1e-7)); }

}  // namespace

void MaxMinSolver::added_frozen(std::uint32_t flow, std::uint32_t link, double rate, TimePs since) {
  table_.for_each_share(flow, [&](std::uint32_t id, double weight) {
    FlowTable::Link& crossed = table_.link(id);
    crossed.used += weight * rate;
    if (id != link) crossed.fastest = std::max(crossed.fastest, rounded_up(rate));
  });
  table_.link(link).level = rate;
  frozen_.freeze(link, std::span(&flow, 1), since);
}

void MaxMinSolver::removing(std::uint32_t flow) {
  const double rate = table_.rate(flow);
  table_.for_each_share(flow, [&](std::uint32_t id, double weight) {
    FlowTable::Link& link = table_.link(id);
    link.used -= weight * rate;
    // Nothing changes where nothing is frozen: a link with room has more room now.
    if (link.level != FlowTable::kUnbound) left_links_.push_back(id);
  });
  const std::uint32_t bottleneck = table_.bottleneck(flow);
  if (bottleneck == FlowTable::kNoLink) return;
  frozen_.thaw(flow, frozen_.since_ps(bottleneck));
  table_.set_bottleneck(flow, bottleneck);  // whoever asks what held a flow back asks when it has ended
}

void MaxMinSolver::solve(TimePs now) {
  begin_round();
  now_ = now;
  for (const std::uint32_t link : left_links_) {
    touch(link);
    if (table_.flows(link).empty()) table_.link(link).changes_since_sum = 0;  // of no flows there is no sum
  }
  for (const std::uint32_t flow : added_) {
    table_.for_each_share(flow, [&](std::uint32_t id, double weight) {
      FlowTable::Link& link = touch(id);
      link.growing += weight;
      ++link.growing_count;
    });
  }
  growing_flows_ = added_.size();
  queue_touched();
  fill();
  ++work_.solves;
  added_.clear();
  left_links_.clear();
}

void MaxMinSolver::begin_round() {
  if (++round_ == 0) {  // marks begin anew: no old one may be taken for a new one
    for (std::uint32_t link = 0; link < table_.link_count(); ++link) table_.link(link).mark = 0;
    round_ = 1;
  }
  is_touched_.resize(table_.link_count(), 0);
  level_ = 0;
  kept_open_ = 0;
  thawed_links_ = 0;
  reopened_links_.clear();
  frozen_links_.clear();
  queue_.clear();
}

void MaxMinSolver::open_link(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  link.mark = round_;
  link.growing = 0;
  link.growing_count = 0;
  link.queued = FlowTable::kUnbound;
  link.frozen = FlowTable::Frozen::kept;
  ++work_.links;
  if (link.level != FlowTable::kUnbound) {
    reopened_links_.push_back(id);
    ++kept_open_;
    forget_if_empty(id);
  }
  if (++link.changes_since_sum < FlowTable::kChangesUntilSummedUp) return;
  link.changes_since_sum = 0;
  link.used = 0;
  const std::span<const std::uint32_t> flows = table_.flows(id);
  const std::span<const double> weights = table_.weights(id);
  for (std::size_t i = 0; i < flows.size(); ++i) link.used += weights[i] * table_.rate(flows[i]);
}

/// Before what the link carries is changed: opens it, and has it queued again by queue_touched().
FlowTable::Link& MaxMinSolver::touch(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (link.mark != round_) open_link(id);
  if (is_touched_[id] == 0) {
    is_touched_[id] = 1;
    touched_links_.push_back(id);
  }
  return link;
}

/// The flows frozen at another link have another rate, none above `fastest`.
void MaxMinSolver::change_used(const FrozenFlows::Crossing& crossing, double change, float fastest) {
  FlowTable::Link& link = table_.link(crossing.link);
  const double used = link.used + crossing.weight * change;
  // Most links have room, before and after: where nothing is frozen and nothing grows, that is all there is to know.
  const bool has_room = link.mark != round_ && link.level == FlowTable::kUnbound && used <= link.capacity;
  if (has_room && ++link.changes_since_sum < FlowTable::kChangesUntilSummedUp) link.used = used;
  else touch(crossing.link).used += crossing.weight * change;
  link.fastest = std::max(link.fastest, fastest);
}

void MaxMinSolver::queue_touched() {
  for (const std::uint32_t id : touched_links_) {
    FlowTable::Link& link = table_.link(id);
    is_touched_[id] = 0;
    const double level = event_level(link);
    // One that is queued for less finds out when its turn comes.
    if (level < link.queued) enqueue(id, level);
  }
  touched_links_.clear();
}

/// Whether flows are frozen at the link that have their old rate.
bool MaxMinSolver::keeps(const FlowTable::Link& link) const {
  return link.level != FlowTable::kUnbound && (link.mark != round_ || link.frozen == FlowTable::Frozen::kept);
}

/// With the kept flows that are frozen here at a common rate: the one at which the link is saturated.
double MaxMinSolver::saturation_level(const FlowTable::Link& link) const {
  const double growing =
      link.growing_count > 0 ? link.growing : 0;  // what is left of the sum without flows is rounding
  return (link.capacity - link.used + link.frozen_weight * link.level) / (growing + link.frozen_weight);
}

/// At which level something happens at the link, as far as is known: it is saturated, or its frozen flows can pass
/// their old level; kUnbound if nothing will. Only rises while flows are frozen elsewhere.
double MaxMinSolver::event_level(const FlowTable::Link& link) const {
  if (keeps(link)) return std::max(level_, std::min(link.level, saturation_level(link)));
  const double left = link.capacity - link.used;
  if (link.growing_count > 0) return std::max(level_, left / link.growing);
  const bool too_full =
      link.fastest > level_ &&
      left < -kOverfull * link.capacity;  // what grew is frozen, and flows that are faster must be thawed
  return too_full ? level_ : FlowTable::kUnbound;
}

/// A link counts kept flows that are faster than the level as if they could keep their rates. The level at which it is
/// saturated when they cannot: every pass thaws those above the level of the pass before, which makes room.
double MaxMinSolver::level_if_faster_are_thawed(std::uint32_t id, double level) const {
  const FlowTable::Link& link = table_.link(id);
  const bool kept = keeps(link);
  const double used_by_others = kept ? link.used - link.frozen_weight * link.level : link.used;
  const double growing_here = (link.growing_count > 0 ? link.growing : 0) + (kept ? link.frozen_weight : 0);
  // Kept flows that are frozen here grow from their old level on: that is an event of its own.
  const double limit = kept ? link.level : FlowTable::kUnbound;
  while (level < limit) {
    double used = used_by_others, growing = growing_here;
    const std::span<const std::uint32_t> flows = table_.flows(id);
    const std::span<const double> weights = table_.weights(id);
    bool any = false;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const std::uint32_t bottleneck = table_.bottleneck(flows[i]);
      if (bottleneck == FlowTable::kNoLink || bottleneck == id) continue;
      const FlowTable::Link& other = table_.link(bottleneck);
      if (other.level <= level || !keeps(other)) continue;
      used -= weights[i] * other.level;
      growing += weights[i];
      any = true;
    }
    if (!any) return level;
    const double next = (link.capacity - used) / growing;
    if (next <= level * (1 + 1e-13)) return level;
    level = next;
  }
  return std::max(level_, limit);
}

void MaxMinSolver::fill() {
  while (true) {
    if (growing_flows_ == 0 && thawed_links_ == 0 && kept_open_ == 0 && !drop_settled()) return;
    if (queue_.empty()) return;
    const auto [known, id] = queue_.front();
    std::pop_heap(queue_.begin(), queue_.end(), Later());
    queue_.pop_back();
    FlowTable::Link& link = table_.link(id);
    if (known != link.queued) continue;  // queued for a lower level since
    link.queued = FlowTable::kUnbound;
    double level = event_level(link);
    if (level == FlowTable::kUnbound) continue;
    // Only for the next event is it worth to look at the single flows.
    if (link.fastest > level && level <= first_level()) level = level_if_faster_are_thawed(id, level);
    if (level > known && level > first_level()) {
      enqueue(id, level);
      continue;
    }
    level_ = level;
    saturate(id);
    queue_touched();
  }
}

/// Nothing grows any more: all that may be left are links that are too full. False if there are none.
bool MaxMinSolver::drop_settled() {
  std::erase_if(queue_, [&](const Candidate& candidate) {
    FlowTable::Link& link = table_.link(candidate.second);
    if (candidate.first != link.queued) return true;
    if (event_level(link) != FlowTable::kUnbound) return false;
    link.queued = FlowTable::kUnbound;  // flows that are thawed yet may make it too full, and queue it again
    return true;
  });
  std::make_heap(queue_.begin(), queue_.end(), Later());
  return !queue_.empty();
}

/// What happens at the link at the present level.
void MaxMinSolver::saturate(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (link.fastest > level_ && thaw_faster(id)) {
    touch(id);  // it is queued again, for what it carries now
    return;
  }
  if (!keeps(link)) return freeze(id);
  const double saturated = saturation_level(link);
  if (saturated <= link.level) return freeze(id);
  // The frozen flows can pass their old level. If nothing else happens until the link is saturated again, they need not
  // be seen to grow.
  if (link.growing_count == 0 && saturated <= first_level() && raise_frozen(id, saturated)) return;
  thaw_frozen(id);
}

/// Thaws the kept flows on the link that are faster than the level, and finds out how fast the others are. False if
/// there are none.
bool MaxMinSolver::thaw_faster(std::uint32_t id) {
  const double threshold = level_ * (1 + kTie);
  bool any = false;
  double fastest = 0;
  for (const std::uint32_t flow : table_.flows(id)) {
    const std::uint32_t bottleneck = table_.bottleneck(flow);
    if (bottleneck == FlowTable::kNoLink || bottleneck == id) continue;
    const FlowTable::Link& other = table_.link(bottleneck);
    if (other.level <= threshold || !keeps(other)) {
      // Those that grow are slower than what is kept above the level, and raise the bound when they are frozen.
      if (other.frozen != FlowTable::Frozen::thawed || other.mark != round_) fastest = std::max(fastest, other.level);
      continue;
    }
    thaw_flow(flow);
    any = true;
  }
  table_.link(id).fastest = rounded_up(fastest);
  return any;
}

void MaxMinSolver::thaw_flow(std::uint32_t flow) {
  const double rate = table_.rate(flow);
  table_.for_each_share(flow, [&](std::uint32_t id, double weight) {
    FlowTable::Link& link = touch(id);
    link.used -= weight * rate;
    link.growing += weight;
    ++link.growing_count;
  });
  const std::uint32_t bottleneck = table_.bottleneck(flow);
  frozen_.thaw(flow, now_);
  forget_if_empty(bottleneck);
  ++growing_flows_;
}

/// A link whose last frozen flow has left has no level.
void MaxMinSolver::forget_if_empty(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (link.frozen_count > 0) return;
  if (link.frozen == FlowTable::Frozen::kept) --kept_open_;
  if (link.frozen == FlowTable::Frozen::thawed) --thawed_links_;
  link.frozen = FlowTable::Frozen::done;
  link.level = FlowTable::kUnbound;
}

/// All flows frozen at the link grow again.
void MaxMinSolver::thaw_frozen(std::uint32_t id) {
  frozen_.serve(id, now_);
  const double level = table_.link(id).level;
  for (const FrozenFlows::Crossing& crossing : frozen_.crossings(id)) {
    FlowTable::Link& link = touch(crossing.link);
    link.used -= crossing.weight * level;
    link.growing += crossing.weight;
    link.growing_count += crossing.count;
  }
  table_.link(id).frozen = FlowTable::Frozen::thawed;
  --kept_open_;
  ++thawed_links_;
}

/// Whether something happens at the link below the level.
bool MaxMinSolver::is_saturated_before(const FlowTable::Link& link, double level) const {
  if (keeps(link)) return link.level < level || saturation_level(link) < level;
  const double left = link.capacity - link.used;
  return link.growing_count > 0 ? left < link.growing * level : left < -kOverfull * link.capacity;
}

/// Moves the flows frozen at the link up to the level, unless a link that they cross is saturated before: then nothing
/// is changed.
bool MaxMinSolver::raise_frozen(std::uint32_t id, double level) {
  const double change = level - table_.link(id).level;
  const float fastest = rounded_up(level);
  const std::span<const FrozenFlows::Crossing> crossings = frozen_.crossings(id);
  const float own_fastest = table_.link(id).fastest;  // of flows frozen elsewhere: these are not
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    change_used(crossings[i], change, fastest);
    const FlowTable::Link& link = table_.link(crossings[i].link);
    if (link.mark != round_ || crossings[i].link == id || !is_saturated_before(link, level)) continue;
    for (std::size_t j = 0; j <= i; ++j) table_.link(crossings[j].link).used -= crossings[j].weight * change;
    table_.link(id).fastest = own_fastest;
    return false;
  }
  frozen_.serve(id, now_);
  FlowTable::Link& link = table_.link(id);
  link.level = level_ = level;
  link.fastest = own_fastest;
  link.frozen = FlowTable::Frozen::done;
  --kept_open_;
  work_.flows += link.frozen_count;
  frozen_links_.push_back(id);
  return true;
}

/// The kept flows that are frozen at the link have another rate.
void MaxMinSolver::move_frozen(std::uint32_t id, double level) {
  frozen_.serve(id, now_);
  const double change = level - table_.link(id).level;
  if (change != 0) {
    const float own_fastest = table_.link(id).fastest;  // of flows frozen elsewhere: these are not
    for (const FrozenFlows::Crossing& crossing : frozen_.crossings(id))
      change_used(crossing, change, rounded_up(level));
    table_.link(id).fastest = own_fastest;
  }
  table_.link(id).level = level;
  --kept_open_;
}

/// Freezes all that grows on the link.
void MaxMinSolver::freeze(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (keeps(link)) {
    move_frozen(id, level_);
    work_.flows += link.frozen_count;
  } else if (link.level != FlowTable::kUnbound && link.frozen == FlowTable::Frozen::thawed) {
    for (const FrozenFlows::Crossing& crossing : frozen_.crossings(id)) {
      FlowTable::Link& crossed = touch(crossing.link);
      crossed.used += crossing.weight * level_;
      crossed.growing -= crossing.weight;
      crossed.growing_count -= crossing.count;
      if (crossing.link != id) crossed.fastest = std::max(crossed.fastest, rounded_up(level_));
    }
    link.level = level_;
    --thawed_links_;
    work_.flows += link.frozen_count;
  }
  link.frozen = FlowTable::Frozen::done;
  if (link.growing_count > 0) freeze_others(id);
  if (link.level != FlowTable::kUnbound) frozen_links_.push_back(id);
}

/// Freezes the flows that grow on the link and were not frozen here: it is a new bottleneck to them.
void MaxMinSolver::freeze_others(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  joining_.clear();
  for (const std::uint32_t flow : table_.flows(id)) {
    const std::uint32_t bottleneck = table_.bottleneck(flow);
    if (bottleneck == id) continue;
    if (bottleneck != FlowTable::kNoLink) {
      const FlowTable::Link& other = table_.link(bottleneck);
      if (other.mark != round_ || other.frozen != FlowTable::Frozen::thawed) continue;
      frozen_.thaw(flow, now_);
      forget_if_empty(bottleneck);
      ++growing_flows_;
    }
    joining_.push_back(flow);
  }
  // Of a link that was saturated before at this level, up to rounding, the level stays: its flows have one rate.
  if (link.level == FlowTable::kUnbound) link.level = level_;
  for (const std::uint32_t flow : joining_) {
    table_.for_each_share(flow, [&](std::uint32_t crossed_id, double weight) {
      FlowTable::Link& crossed = touch(crossed_id);
      crossed.used += weight * link.level;
      crossed.growing -= weight;
      --crossed.growing_count;
      if (crossed_id != id) crossed.fastest = std::max(crossed.fastest, rounded_up(link.level));
    });
  }
  frozen_.freeze(id, joining_, now_);
  growing_flows_ -= joining_.size();
  work_.flows += joining_.size();
}

void MaxMinSolver::enqueue(std::uint32_t id, double level) {
  table_.link(id).queued = level;
  queue_.emplace_back(level, id);
  std::push_heap(queue_.begin(), queue_.end(), Later());
}

}  // namespace orrery::simulate

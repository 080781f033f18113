#include "simulate/fluid/max_min_solver.h"

#include <algorithm>
#include <functional>

namespace orrery::simulate {
namespace {

/// Levels this close, relatively, may be one level that was rounded differently: flows at both are drawn in. Drawing in too many is never
/// wrong, only slower.
constexpr double kTie = 1e-10;
/// A sum changed this often is summed up anew, so that rounding cannot pile up.
constexpr std::uint32_t kUpdatesUntilSummedUp = 64;
constexpr double kSecondsPerPs = 1e-12;

}  // namespace

void MaxMinSolver::removing(std::uint32_t flow) {
  const FlowTable::Flow& leaving = table_.flow(flow);
  floor_ = std::min(floor_, leaving.rate);
  for (const FlowTable::Share& share : table_.shares(leaving)) {
    if (table_.link(share.link).level != FlowTable::kUnbound) touched_links_.push_back(share.link);
  }
}

void MaxMinSolver::solve(TimePs now) {
  begin_round();
  now_ = now;
  for (const std::uint32_t flow : added_) {
    table_.flow(flow).mark = growing_;
    drawn_flows_.push_back(flow);
  }
  for (const std::uint32_t flow : added_) lower_floor(flow);
  level_ = floor_ * (1 - kTie);
  for (const std::uint32_t link : touched_links_) open_link(link);
  draw_in(level_);
  for (const std::uint32_t link : opened_links_) enqueue(link, level_);
  std::make_heap(candidates_.begin(), candidates_.end(), std::greater<>());
  filling_ = true;
  fill();
  ++work_.solves;
  work_.flows += drawn_flows_.size();
  added_.clear();
  touched_links_.clear();
  floor_ = FlowTable::kUnbound;
}

void MaxMinSolver::begin_round() {
  constexpr std::uint32_t kLastMark = ~std::uint32_t{0} - 3;
  if (stopped_ >= kLastMark) {  // marks begin anew: no old one may be taken for a new one
    for (std::uint32_t flow = 0; flow < table_.id_limit(); ++flow) table_.flow(flow).mark = 0;
    for (std::uint32_t link = 0; link < table_.link_count(); ++link) table_.link(link).mark = 0;
    growing_ = 0;
  }
  growing_ += 2;
  stopped_ = growing_ + 1;
  opened_links_.clear();
  drawn_flows_.clear();
  candidates_.clear();
  reached_ = 0;
  filling_ = false;
}

/// To the level at which the first link of a new flow is full.
void MaxMinSolver::lower_floor(std::uint32_t added) {
  for (const FlowTable::Share& share : table_.shares(table_.flow(added))) {
    FlowTable::Link& link = table_.link(share.link);
    if (link.mark == stopped_) continue;  // another new flow on it was here
    link.mark = stopped_;
    floor_ = level_with_added(share.link, floor_);
  }
}

/// The level at which the link is full if the new flows on it grow along and the others keep their rates; or anything from `enough` up.
/// Each pass counts the flows below the level of the pass before at their rates, which can only raise the level.
double MaxMinSolver::level_with_added(std::uint32_t link, double enough) const {
  const double capacity = table_.link(link).capacity;
  double level = 0;
  while (true) {
    double used = 0, growing = 0;
    for (const FlowTable::Entry& entry : table_.entries(link)) {
      const FlowTable::Flow& flow = table_.flow(entry.flow);
      if (flow.mark != growing_ && flow.rate < level) used += entry.weight * flow.rate;
      else growing += entry.weight;
    }
    const double next = (capacity - used) / growing;
    if (next >= enough) return enough;
    if (next <= level * (1 + kTie)) return next;
    level = next;
  }
}

/// A link that stops flows is to be summed up: all its flows at or above the level may change. One that stops none is watched: it knows
/// what it carries, and the flows that grow tell it.
void MaxMinSolver::open_link(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (link.mark == growing_) return;
  link.mark = growing_;
  opened_links_.push_back(id);
  link.complete = link.level != FlowTable::kUnbound;
  link.level = FlowTable::kUnbound;
  link.growing = 0;
  link.growing_count = 0;
  if (link.complete) {
    unsummed_links_.push_back(id);
  } else if (++link.sums_updated > kUpdatesUntilSummedUp) {
    link.sums_updated = 0;
    link.used = 0;
    for (const FlowTable::Entry& entry : table_.entries(id)) link.used += entry.weight * table_.flow(entry.flow).rate;
  }
}

void MaxMinSolver::sum_up(std::uint32_t id, double threshold) {
  FlowTable::Link& link = table_.link(id);
  double used = 0, growing = 0;
  std::uint32_t growing_count = 0;
  for (const FlowTable::Entry& entry : table_.entries(id)) {
    FlowTable::Flow& flow = table_.flow(entry.flow);
    if (flow.mark != growing_) {
      if (flow.mark == stopped_ || flow.rate < threshold) {
        used += entry.weight * flow.rate;
        continue;
      }
      flow.mark = growing_;
      drawn_flows_.push_back(entry.flow);
    }
    growing += entry.weight;
    ++growing_count;
  }
  link.used = used;
  link.growing = growing;
  link.growing_count = growing_count;
  if (filling_) enqueue(id, level_);
}

/// Brings the flow's remaining bytes up to now and opens its links. A complete link has counted the flow, or will when it is summed up.
void MaxMinSolver::reach(std::uint32_t id) {
  FlowTable::Flow& flow = table_.flow(id);
  if (flow.bottleneck != FlowTable::kNoLink) {
    const double seconds = static_cast<double>(now_ - table_.link(flow.bottleneck).solved_ps) * kSecondsPerPs;
    flow.remaining = std::max(0.0, flow.remaining - flow.rate * seconds);
  }
  for (const FlowTable::Share& share : table_.shares(flow)) {
    FlowTable::Link& link = table_.link(share.link);
    if (link.mark != growing_) open_link(share.link);
    if (link.complete) continue;
    link.used -= share.weight * flow.rate;
    link.growing += share.weight;
    ++link.growing_count;
    if (filling_) enqueue(share.link, level_);
  }
}

void MaxMinSolver::draw_in(double threshold) {
  while (true) {
    if (!unsummed_links_.empty()) {
      const std::uint32_t link = unsummed_links_.back();
      unsummed_links_.pop_back();
      sum_up(link, threshold);
    } else if (reached_ < drawn_flows_.size()) {
      reach(drawn_flows_[reached_++]);
    } else {
      return;
    }
  }
}

void MaxMinSolver::enqueue(std::uint32_t id, double level) {
  const FlowTable::Link& link = table_.link(id);
  if (link.growing_count == 0) return;
  candidates_.emplace_back(std::max(level, (link.capacity - link.used) / link.growing), id);
  if (filling_) std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

/// The level at which a link is full only rises while other links stop flows on it, so that a candidate is looked at again when its turn
/// comes and put back if it has risen.
void MaxMinSolver::fill() {
  while (!candidates_.empty()) {
    const auto [known, id] = candidates_.front();
    std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    candidates_.pop_back();
    FlowTable::Link& link = table_.link(id);
    if (link.growing_count == 0) continue;
    const double level = std::max(level_, (link.capacity - link.used) / link.growing);
    if (level > known && !candidates_.empty() && level > candidates_.front().first) {
      enqueue(id, level_);
      continue;
    }
    level_ = level;
    if (link.complete) {
      stop_flows(id);
    } else {  // full with only some of its flows known: the others may have to give way
      link.complete = true;
      unsummed_links_.push_back(id);
      draw_in(level_ * (1 - kTie));
    }
  }
}

void MaxMinSolver::stop_flows(std::uint32_t id) {
  FlowTable::Link& full = table_.link(id);
  full.level = level_;
  full.solved_ps = now_;
  double least_remaining = FlowTable::kUnbound;
  for (const FlowTable::Entry& entry : table_.entries(id)) {
    FlowTable::Flow& flow = table_.flow(entry.flow);
    if (flow.mark != growing_) continue;
    flow.mark = stopped_;
    flow.rate = level_;
    flow.bottleneck = id;
    least_remaining = std::min(least_remaining, flow.remaining);
    for (const FlowTable::Share& share : table_.shares(flow)) {
      FlowTable::Link& link = table_.link(share.link);
      link.used += share.weight * level_;
      link.growing -= share.weight;
      --link.growing_count;
    }
  }
  full.least_remaining = least_remaining;
}

}  // namespace orrery::simulate

#include "simulate/fluid/max_min_solver.h"

#include <algorithm>
#include <functional>

namespace orrery::simulate {
namespace {

/// Levels this close, relatively, may be one level that was rounded differently: flows at both are drawn in. Drawing in too many is never
/// wrong, only slower.
constexpr double kTie = 1e-10;
/// A sum changed this often is made anew, so that rounding cannot pile up.
constexpr std::uint16_t kChangesUntilSummedUp = 64;
/// Part of a link's capacity by which it may be overfull from rounding alone.
constexpr double kOverfull = 1e-12;
constexpr double kSecondsPerPs = 1e-12;
/// With many flows it is memory that takes time: what the flow after so many others needs is asked for early.
constexpr std::size_t kAhead = 8;

}  // namespace

void MaxMinSolver::removing(std::uint32_t flow) {
  table_.for_each_share(flow, [&](std::uint32_t link, double) {
    if (table_.link(link).level != FlowTable::kUnbound) left_links_.push_back(link);
  });
}

void MaxMinSolver::solve(TimePs now) {
  begin_round();
  now_ = now;
  for (const std::uint32_t link : left_links_) {
    if (table_.link(link).mark != growing_) open_link(link);
  }
  for (const std::uint32_t flow : added_) draw_in(flow);
  reach_drawn();
  fill();
  ++work_.solves;
  work_.flows += drawn_flows_.size();
  added_.clear();
  left_links_.clear();
}

void MaxMinSolver::begin_round() {
  constexpr std::uint32_t kLastMark = ~std::uint32_t{0} - 3;
  if (stopped_ >= kLastMark) {  // marks begin anew: no old one may be taken for a new one
    for (std::uint32_t flow = 0; flow < table_.id_limit(); ++flow) table_.pace(flow).mark = 0;
    for (std::uint32_t link = 0; link < table_.link_count(); ++link) table_.link(link).mark = 0;
    growing_ = 0;
  }
  growing_ += 2;
  stopped_ = growing_ + 1;
  level_ = 0;
  reopened_links_.clear();
  undecided_ = 0;
  drawn_flows_.clear();
  growing_on_link_.clear();
  reached_ = 0;
  stopped_flows_ = 0;
  stops_.clear();
  near_.clear();
  far_.clear();
  horizon_ = 0;
}

void MaxMinSolver::open_link(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  link.mark = growing_;
  link.complete = false;
  link.growing = 0;
  link.growing_count = 0;
  link.queued = FlowTable::kUnbound;
  link.touched = true;
  touched_links_.push_back(id);
  ++work_.links;
  if (link.level != FlowTable::kUnbound) {
    reopened_links_.push_back(id);
    ++undecided_;
  }
  if (++link.changes_since_sum < kChangesUntilSummedUp) return;
  link.changes_since_sum = 0;
  link.used = 0;
  const std::span<const std::uint32_t> flows = table_.flows(id);
  const std::span<const double> weights = table_.weights(id);
  for (std::size_t i = 0; i < flows.size(); ++i) link.used += weights[i] * table_.pace(flows[i]).rate;
}

void MaxMinSolver::draw_in(std::uint32_t flow) {
  table_.pace(flow).mark = growing_;
  drawn_flows_.push_back(flow);
}

/// Lets the flows drawn in grow, and queues the links that this may have made full earlier.
void MaxMinSolver::reach_drawn() {
  for (; reached_ < drawn_flows_.size(); ++reached_) {
    if (reached_ + kAhead < drawn_flows_.size()) table_.prefetch(drawn_flows_[reached_ + kAhead]);
    if (reached_ + kAhead / 2 < drawn_flows_.size()) table_.prefetch_links(drawn_flows_[reached_ + kAhead / 2]);
    reach(drawn_flows_[reached_]);
  }
  for (const std::uint32_t id : touched_links_) {
    FlowTable::Link& link = table_.link(id);
    link.touched = false;
    const double level = event_level(link);
    if (level < link.queued) enqueue(id, level);
  }
  touched_links_.clear();
}

/// Brings the flow's remaining bytes up to now and lets it grow on its links.
void MaxMinSolver::reach(std::uint32_t id) {
  const FlowTable::Pace pace = table_.pace(id);
  if (pace.bottleneck != FlowTable::kNoLink) {
    const double seconds = static_cast<double>(now_ - table_.solved_ps(pace.bottleneck)) * kSecondsPerPs;
    table_.remaining(id) = std::max(0.0, table_.remaining(id) - pace.rate * seconds);
  }
  table_.for_each_share(id, [&](std::uint32_t link_id, double weight) {
    FlowTable::Link& link = table_.link(link_id);
    if (link.mark != growing_) {
      open_link(link_id);
    } else if (!link.touched) {
      link.touched = true;
      touched_links_.push_back(link_id);
    }
    link.used -= weight * pace.rate;
    link.bound -= link_id == pace.bottleneck ? weight : 0;
    link.growing += weight;
    ++link.growing_count;
  });
}

/// At which level something happens at the link, as far as is known: it is full, or passes its old level; kUnbound if nothing will. Flows
/// that the link stopped before give way here, others with their own rates may have to as well. Only rises while other links stop flows.
double MaxMinSolver::event_level(const FlowTable::Link& link) const {
  const double growing = link.growing_count > 0 ? link.growing : 0;
  const double left = link.capacity - link.used;
  if (link.complete || link.level == FlowTable::kUnbound) {
    if (growing > 0) return std::max(level_, left / growing);
    const bool too_full = !link.complete && left < -kOverfull * link.capacity;  // what grew has stopped, and others must give way to it
    return too_full ? level_ : FlowTable::kUnbound;
  }
  if (growing + link.bound <= 0) return left < 0 ? level_ : std::max(level_, link.level);
  return std::max(level_, std::min(link.level, (left + link.bound * link.level) / (growing + link.bound)));
}

/// A link that is not complete counts flows faster than the level as if they could keep their rates. The level at which it is full when they
/// cannot: every pass lets those above the level of the pass before give way, which makes room.
double MaxMinSolver::level_if_others_give_way(std::uint32_t id, double level) const {
  const FlowTable::Link& link = table_.link(id);
  while (level < link.level) {
    double used = link.used, growing = link.growing;
    const std::span<const std::uint32_t> flows = table_.flows(id);
    const std::span<const double> weights = table_.weights(id);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (i + kAhead < flows.size()) table_.prefetch_pace(flows[i + kAhead]);
      const FlowTable::Pace& pace = table_.pace(flows[i]);
      if (pace.mark == growing_ || pace.mark == stopped_ || pace.rate <= level) continue;
      used -= weights[i] * pace.rate;
      growing += weights[i];
    }
    const double next = (link.capacity - used) / growing;
    if (next <= level * (1 + 1e-13)) return level;
    level = next;
  }
  return link.level;
}

void MaxMinSolver::fill() {
  while (true) {
    if (stopped_flows_ == drawn_flows_.size() && undecided_ == 0) {  // all that may be left are links that are too full
      far_.insert(far_.end(), near_.begin(), near_.end());
      near_.clear();
    }
    if (near_.empty() && !look_further()) return;
    const auto [known, id] = take_first();
    FlowTable::Link& link = table_.link(id);
    if (known != link.queued) continue;  // queued for a lower level since
    link.queued = FlowTable::kUnbound;
    double level = event_level(link);
    if (level == FlowTable::kUnbound) continue;
    if (!link.complete && level <= first_level()) level = level_if_others_give_way(id, level);
    if (level > known && level > first_level()) {
      enqueue(id, level);
      continue;
    }
    level_ = level;
    if (link.complete) stop_flows(id);
    else complete(id);
  }
}

/// Draws in the flows that are faster than the level, and those that the link stopped before, and lists all that grow: none will come to
/// them, since what is drawn in later is not slower than the level now (kTie is far above rounding).
void MaxMinSolver::complete(std::uint32_t id) {
  FlowTable::Link& link = table_.link(id);
  if (link.level != FlowTable::kUnbound) --undecided_;
  link.level = FlowTable::kUnbound;
  link.complete = true;
  const double threshold = level_ * (1 - kTie);
  link.growing_begin = static_cast<std::uint32_t>(growing_on_link_.size());
  const std::span<const std::uint32_t> flows = table_.flows(id);
  const std::span<const double> weights = table_.weights(id);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (i + kAhead < flows.size()) table_.prefetch_pace(flows[i + kAhead]);
    const FlowTable::Pace& pace = table_.pace(flows[i]);
    if (pace.mark == stopped_) continue;
    if (pace.mark != growing_) {
      if (pace.rate < threshold && pace.bottleneck != id) continue;
      draw_in(flows[i]);
    }
    growing_on_link_.push_back({weights[i], flows[i]});
  }
  growing_on_link_.push_back({0, FlowTable::kNoFlow});
  reach_drawn();
  const double level = event_level(link);
  if (level < link.queued) enqueue(id, level);
}

void MaxMinSolver::stop_flows(std::uint32_t id) {
  FlowTable::Link& full = table_.link(id);
  full.level = level_;
  full.bound = 0;
  table_.solved_ps(id) = now_;
  double least_remaining = FlowTable::kUnbound;
  for (const FlowTable::Entry* entry = &growing_on_link_[full.growing_begin]; entry->flow != FlowTable::kNoFlow; ++entry) {
    FlowTable::Pace& pace = table_.pace(entry->flow);
    if (pace.mark != growing_) continue;
    if (entry[1].flow != FlowTable::kNoFlow) table_.prefetch(entry[1].flow);
    pace = {.rate = level_, .mark = stopped_, .bottleneck = id};
    ++stopped_flows_;
    full.bound += entry->weight;
    least_remaining = std::min(least_remaining, table_.remaining(entry->flow));
    table_.for_each_share(entry->flow, [&](std::uint32_t link_id, double weight) {
      FlowTable::Link& link = table_.link(link_id);
      link.used += weight * level_;
      link.growing -= weight;
      --link.growing_count;
    });
  }
  stops_.push_back({id, least_remaining});
}

void MaxMinSolver::enqueue(std::uint32_t id, double level) {
  table_.link(id).queued = level;
  if (level > horizon_) {
    far_.emplace_back(level, id);
  } else {
    near_.emplace_back(level, id);
    std::push_heap(near_.begin(), near_.end(), std::greater<>());
  }
}

MaxMinSolver::Candidate MaxMinSolver::take_first() {
  const Candidate first = near_.front();
  std::pop_heap(near_.begin(), near_.end(), std::greater<>());
  near_.pop_back();
  return first;
}

/// Moves the horizon so that the lowest quarter of the far candidates becomes near. False if there are none.
bool MaxMinSolver::look_further() {
  constexpr std::size_t kFew = 16;
  std::size_t kept = 0;
  for (const auto& [known, id] : far_) {
    FlowTable::Link& link = table_.link(id);
    if (known != link.queued) continue;
    link.queued = std::max(known, event_level(link));
    if (link.queued != FlowTable::kUnbound) far_[kept++] = {link.queued, id};
  }
  far_.resize(kept);
  if (far_.empty()) return false;
  auto end = far_.end();
  if (far_.size() > kFew) {
    end = far_.begin() + static_cast<std::ptrdiff_t>(std::max(kFew, far_.size() / 4));
    std::nth_element(far_.begin(), end - 1, far_.end());
  }
  near_.assign(far_.begin(), end);
  far_.erase(far_.begin(), end);
  horizon_ = std::max_element(near_.begin(), near_.end())->first;
  std::make_heap(near_.begin(), near_.end(), std::greater<>());
  return true;
}

}  // namespace orrery::simulate

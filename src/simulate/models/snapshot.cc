#include "simulate/models/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "simulate/fluid/flow_table.h"
#include "simulate/fluid/max_min_solver.h"
#include "simulate/models/phased_model.h"

// Each phase of each operation is a segment of the schedule, its flow stretched evenly over the time that the schedule
// gave it. Between two moments at which segments begin or end, all in flight have max-min fair rates; how much slower
// than alone that is, weighted by time, is how much longer the phase would have taken.

namespace orrery::simulate {

namespace {

/// The flow of one phase of one operation.
struct Segment {
  std::size_t op = 0;
  const PlanPhase* phase = nullptr;
  TimePs alone_ps = 0;
  TimePs start_ps = 0;
  TimePs end_ps = 0;

  double inflated_ps = 0;  ///< its time so far, each moment counted as often as sharing stretched it
  double worst_ps = 0;     ///< the largest contribution to that, and the link that was to blame
  machine::LinkId bottleneck = Price::kNoLink;
  std::uint32_t flow = 0;

  [[nodiscard]] double stretch() const {
    return end_ps > start_ps ? inflated_ps / static_cast<double>(end_ps - start_ps) : 1;
  }
};

void append_segments(const ScheduledPlan& scheduled, std::size_t op, std::vector<Segment>& segments) {
  const Plan& plan = *scheduled.plan;
  const TimePs alone = plan.beta_ps(scheduled.bytes);
  const TimePs flowing = scheduled.interval.end_ps - scheduled.interval.start_ps - plan.alpha_ps();
  // Nothing flows: its price is latency only, which sharing does not change.
  if (alone <= 0) return;
  // The schedule may already have slowed the operation down: its phases then share that in proportion.
  const double scale = static_cast<double>(std::max<TimePs>(flowing, 0)) / static_cast<double>(alone);
  TimePs alphas = scheduled.interval.start_ps + plan.launch_ps, betas = 0;
  // Rounded from the sum and not phase by phase, so that segments meet without gaps.
  const auto moment = [&] { return alphas + static_cast<TimePs>(std::llround(static_cast<double>(betas) * scale)); };
  for (const PlanPhase& phase : plan.phases) {
    alphas += phase.alpha_ps;
    Segment segment{.op = op, .phase = &phase, .alone_ps = phase_beta_ps(phase, scheduled.bytes), .start_ps = moment()};
    betas += segment.alone_ps;
    segment.end_ps = moment();
    segment.bottleneck = phase.bottleneck;
    if (segment.alone_ps > 0) segments.push_back(segment);
  }
}

/// Moves starts and ends to the moments they count as, and returns those in ascending order.
std::vector<TimePs> merge_moments(std::vector<Segment>& segments, TimePs merge_ps) {
  std::vector<TimePs> found;
  for (const Segment& segment : segments) found.insert(found.end(), {segment.start_ps, segment.end_ps});
  std::vector<TimePs> moments = merged_moments(std::move(found), merge_ps);
  for (Segment& segment : segments) {
    segment.start_ps = moment_of(moments, segment.start_ps);
    segment.end_ps = moment_of(moments, segment.end_ps);
  }
  return moments;
}

/// The segments in flight, at fair rates.
class FrozenSet {
 public:
  FrozenSet(const machine::Network& network, double threshold) : threshold_(threshold) {
    for (const machine::Link& link : network.links()) table_.add_link(solver_capacity(link));
  }

  void add(Segment& segment) {
    segment.flow = table_.add(1, segment.phase->shares, FlowTable::kNoLink);
    solver_.added(segment.flow);
    active_.push_back(&segment);
  }

  void remove_ended(TimePs now) {
    const auto ended = std::stable_partition(active_.begin(), active_.end(),
                                             [&](const Segment* segment) { return segment->end_ps > now; });
    for (auto segment = ended; segment != active_.end(); ++segment) {
      solver_.removing((*segment)->flow);
      table_.remove((*segment)->flow);
    }
    active_.erase(ended, active_.end());
  }

  /// Nothing comes or goes for `length_ps` from `now` on. `seen`, if there is one, gets whoever is there.
  void hold(TimePs now, TimePs length_ps, SnapshotInterval* seen) {
    if (active_.empty()) return;
    solver_.solve(now);
    for (Segment* segment : active_) {
      // The rate of a flow that has the links to itself, from the same figures that priced it.
      const double rate_alone = segment->phase->bytes_per_byte / segment->phase->seconds_per_byte;
      double inflation = std::max(1.0, rate_alone / table_.rate(segment->flow));
      // Below the threshold sharing is taken for noise.
      if (inflation <= 1 + threshold_) inflation = 1;
      if (seen != nullptr) seen->members.push_back({static_cast<std::uint32_t>(segment->op), inflation});
      const double inflated = static_cast<double>(length_ps) * inflation;
      segment->inflated_ps += inflated;
      // Strictly more, so that of equals the first moment names the link.
      if (inflated <= segment->worst_ps) continue;
      segment->worst_ps = inflated;
      segment->bottleneck = table_.bottleneck(segment->flow);
    }
  }

 private:
  FlowTable table_;
  MaxMinSolver solver_{table_};
  std::vector<Segment*> active_;
  double threshold_;
};

void look_at_all(const machine::Network& network, std::span<const TimePs> moments, std::vector<Segment>& segments,
                 const SnapshotSettings& settings) {
  std::vector<Segment*> coming;
  for (Segment& segment : segments) {
    if (segment.start_ps < segment.end_ps) coming.push_back(&segment);
  }
  // Stable, so that the solver gets flows of one moment in the order of operations.
  std::stable_sort(coming.begin(), coming.end(),
                   [](const Segment* a, const Segment* b) { return a->start_ps < b->start_ps; });
  // Operations of different fabrics do not meet, though they use links of the same numbers.
  const auto fabric_of = [&](const Segment& segment) {
    return settings.fabric_of.empty() ? 0 : settings.fabric_of[segment.op];
  };
  std::vector<std::unique_ptr<FrozenSet>> fabrics;
  const auto in_flight = [&](std::uint32_t fabric) -> FrozenSet& {
    while (fabrics.size() <= fabric) fabrics.push_back(std::make_unique<FrozenSet>(network, settings.threshold));
    return *fabrics[fabric];
  };
  std::size_t next = 0;
  for (std::size_t k = 0; k + 1 < moments.size(); ++k) {
    // Those that end first, then those that begin: a link that is free again is free for the next.
    for (const auto& fabric : fabrics) fabric->remove_ended(moments[k]);
    for (; next < coming.size() && coming[next]->start_ps <= moments[k]; ++next)
      in_flight(fabric_of(*coming[next])).add(*coming[next]);
    SnapshotInterval interval{.start_ps = moments[k], .end_ps = moments[k + 1]};
    for (const auto& fabric : fabrics)
      fabric->hold(moments[k], moments[k + 1] - moments[k], settings.intervals ? &interval : nullptr);
    if (interval.members.empty()) continue;
    const auto earlier = [](const SnapshotMember& a, const SnapshotMember& b) { return a.operation < b.operation; };
    // Fabrics were asked one after the other; the report is in the order of operations.
    std::sort(interval.members.begin(), interval.members.end(), earlier);
    settings.intervals->push_back(std::move(interval));
  }
}

}  // namespace

std::vector<Price> snapshot_prices(const machine::Network& network, std::span<const ScheduledPlan> schedule,
                                   const SnapshotSettings& settings) {
  std::vector<Segment> segments;
  for (std::size_t op = 0; op < schedule.size(); ++op) append_segments(schedule[op], op, segments);
  const std::vector<TimePs> moments = merge_moments(segments, settings.merge_ps);
  look_at_all(network, moments, segments, settings);

  std::vector<Price> prices;
  for (const ScheduledPlan& scheduled : schedule) {
    prices.push_back(isolated_price(*scheduled.plan, scheduled.bytes));
    prices.back().beta_ps = 0;
  }
  std::vector<TimePs> longest(schedule.size());
  for (const Segment& segment : segments) {
    Price& price = prices[segment.op];
    const auto beta = static_cast<TimePs>(std::llround(static_cast<double>(segment.alone_ps) * segment.stretch()));
    price.beta_ps += beta;
    if (beta <= longest[segment.op]) continue;
    longest[segment.op] = beta;
    price.bottleneck = segment.bottleneck;
  }
  for (std::size_t op = 0; op < schedule.size(); ++op) {
    Price& price = prices[op];
    const TimePs alone = schedule[op].plan->beta_ps(schedule[op].bytes);
    price.total_ps = price.alpha_ps + price.beta_ps;
    // Never below 1: rounding must not make an operation faster than alone.
    if (price.beta_ps > alone) price.slowdown = static_cast<double>(price.beta_ps) / static_cast<double>(alone);
  }
  return prices;
}

Result<std::vector<Price>> snapshot_prices(Lowering& lowering, std::span<const CommOp> ops,
                                           std::span<const CommInterval> intervals, const SnapshotSettings& settings) {
  if (ops.size() != intervals.size())
    return Error{.message = fmt::format("{} operations but {} intervals", ops.size(), intervals.size())};
  std::vector<ScheduledPlan> schedule;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto plan = lowering.plan(ops[i]);
    if (!plan) return plan.error();
    schedule.push_back({.plan = *plan, .bytes = bytes_moved(ops[i]), .interval = intervals[i]});
  }
  return snapshot_prices(lowering.network(), schedule, settings);
}

std::vector<TimePs> merged_moments(std::vector<TimePs> moments, TimePs merge_ps) {
  std::sort(moments.begin(), moments.end());
  std::size_t kept = 0;
  for (const TimePs moment : moments) {
    if (kept == 0 || moment - moments[kept - 1] > merge_ps) moments[kept++] = moment;
  }
  moments.resize(kept);
  return moments;
}

TimePs moment_of(std::span<const TimePs> moments, TimePs moment) {
  return *(std::upper_bound(moments.begin(), moments.end(), moment) - 1);
}

Result<std::vector<Price>> SnapshotModel::estimate(std::span<const CommOp> ops) {
  std::vector<CommInterval> intervals;
  for (const CommOp& op : ops) {
    const auto alone = estimate(op);
    if (!alone) return alone.error();
    // All at once from time 0, since nobody has a schedule yet.
    intervals.push_back({.start_ps = 0, .end_ps = alone->total_ps});
  }
  return snapshot_prices(*lowering(), ops, intervals);
}

TimePs SnapshotModel::flow_ps(const Running& op) const {
  const TimePs alone = IsolatedModel::flow_ps(op);
  const auto slowed = slowdowns_.find(op.id);
  if (slowed == slowdowns_.end()) return alone;
  return static_cast<TimePs>(std::llround(static_cast<double>(alone) * slowed->second));
}

}  // namespace orrery::simulate

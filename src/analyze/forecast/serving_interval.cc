#include "analyze/forecast/serving_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "base/statistics.h"

namespace orrery::analyze {
namespace {

// What lies between is 80 %.
constexpr double kBelow = 0.1, kAbove = 0.9;

constexpr std::array<double Spread::*, 5> kStatistics = {&Spread::mean_ms, &Spread::p50_ms, &Spread::p90_ms,
                                                         &Spread::p95_ms, &Spread::p99_ms};

/// A draw with a request that cannot be served says nothing of the others.
std::vector<ServingSummary> other_arrivals(const IntervalInput& input) {
  std::vector<std::optional<ServingSummary>> found(input.plan.arrivals ? kArrivalSeeds : 0);
  parallel_for(found.size(), [&](std::size_t i) {
    llm::Requests requests = draw_again(*input.plan.arrivals, i);
    if (input.arrivals_per_s && requests.natural_rate()) llm::stretch_to(requests, *input.arrivals_per_s);
    if (!llm::check_requests(requests, llm::rules_of(input.plan.engine))) return;
    const auto run = llm::serve(input.plan.engine, requests, input.costs.middle);
    if (run) found[i] = summarise(*run, requests, input.plan.objectives);
  });
  std::vector<ServingSummary> summaries;
  for (const std::optional<ServingSummary>& summary : found) {
    if (summary) summaries.push_back(*summary);
  }
  return summaries;
}

}  // namespace

llm::Requests draw_again(const llm::ArrivalLaw& law, std::size_t i) {
  llm::ArrivalLaw other = law;
  other.seed += static_cast<double>(i + 1);
  return llm::draw_requests(other);
}

Reach reach_of(double middle, std::span<const double> by_steps, std::span<const double> by_arrivals) {
  double below = 0, above = 0;
  for (const double end : by_steps) {
    below = std::max(below, middle - end);
    above = std::max(above, end - middle);
  }
  if (by_arrivals.empty()) return {middle - below, middle + above};
  return {middle - std::hypot(below, std::max(0.0, middle - sorted_quantile(by_arrivals, kBelow))),
          middle + std::hypot(above, std::max(0.0, sorted_quantile(by_arrivals, kAbove) - middle))};
}

Result<ServingInterval> serving_interval(const IntervalInput& input, const ServingSummary& middle) {
  ServingInterval interval;
  auto low = llm::serve(input.plan.engine, input.requests, *input.costs.low);
  if (!low) return low.error();
  auto high = llm::serve(input.plan.engine, input.requests, *input.costs.high);
  if (!high) return high.error();
  const std::vector<ServingSummary> others = other_arrivals(input);
  const ServingSummary fast = summarise(*low, input.requests, input.plan.objectives),
                       slow = summarise(*high, input.requests, input.plan.objectives);
  std::vector<double> values;
  for (std::size_t metric = 0; metric < kRequestMetricNames.size(); ++metric) {
    for (const auto statistic : kStatistics) {
      const double at = middle.spreads[metric].*statistic;
      values.clear();
      for (const ServingSummary& other : others) values.push_back(other.spreads[metric].*statistic);
      std::sort(values.begin(), values.end());
      const double ends[] = {fast.spreads[metric].*statistic, slow.spreads[metric].*statistic};
      const Reach reach = reach_of(at, ends, values);
      interval.low[metric].*statistic = std::max(0.0, reach.low);
      interval.high[metric].*statistic = reach.high;
    }
  }
  interval.fast = std::move(low->records);
  interval.slow = std::move(high->records);
  return interval;
}

}  // namespace orrery::analyze

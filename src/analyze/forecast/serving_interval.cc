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

/// By how much a statistic may lie below and above, for two causes.
double reach(double middle, double of_kernels, double of_arrivals, bool is_high) {
  const auto beyond = [&](double end) { return std::max(0.0, is_high ? end - middle : middle - end); };
  const double both = std::hypot(beyond(of_kernels), beyond(of_arrivals));
  return is_high ? middle + both : std::max(0.0, middle - both);
}

Result<std::vector<ServingSummary>> other_arrivals(const IntervalInput& input) {
  std::vector<ServingSummary> summaries(input.plan.arrivals ? kArrivalSeeds : 0);
  std::vector<std::optional<Error>> errors(summaries.size());
  parallel_for(summaries.size(), [&](std::size_t i) {
    llm::ArrivalLaw law = *input.plan.arrivals;
    law.seed += static_cast<double>(i + 1);
    const llm::Requests requests = llm::draw_requests(law);
    if (const Status good = llm::check_requests(requests, llm::rules_of(input.plan.engine)); !good)
      return void(errors[i] = good.error());
    const auto run = llm::serve(input.plan.engine, requests, input.cost);
    if (!run) return void(errors[i] = run.error());
    summaries[i] = summarise(*run, requests, input.plan.objectives);
  });
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return summaries;
}

}  // namespace

Result<ServingInterval> serving_interval(const IntervalInput& input, const ServingSummary& middle) {
  ServingInterval interval;
  auto low = llm::serve(input.plan.engine, input.requests, input.low);
  if (!low) return low.error();
  auto high = llm::serve(input.plan.engine, input.requests, input.high);
  if (!high) return high.error();
  const auto others = other_arrivals(input);
  if (!others) return others.error();
  const ServingSummary fast = summarise(*low, input.requests, input.plan.objectives),
                       slow = summarise(*high, input.requests, input.plan.objectives);
  std::vector<double> values;
  for (std::size_t metric = 0; metric < kRequestMetricNames.size(); ++metric) {
    for (const auto statistic : kStatistics) {
      const double at = middle.spreads[metric].*statistic;
      values.clear();
      for (const ServingSummary& other : *others) values.push_back(other.spreads[metric].*statistic);
      std::sort(values.begin(), values.end());
      const double below = values.empty() ? at : sorted_quantile(std::span<const double>(values), kBelow),
                   above = values.empty() ? at : sorted_quantile(std::span<const double>(values), kAbove);
      interval.low[metric].*statistic = reach(at, fast.spreads[metric].*statistic, below, false);
      interval.high[metric].*statistic = reach(at, slow.spreads[metric].*statistic, above, true);
    }
  }
  interval.fast = std::move(low->records);
  interval.slow = std::move(high->records);
  return interval;
}

}  // namespace orrery::analyze

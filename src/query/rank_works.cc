#include "query/rank_works.h"

#include <cmath>
#include <utility>

#include "base/int128.h"

namespace orrery::query {
namespace {

constexpr std::uint32_t kNoStepOfWork = ~std::uint32_t{0};

/// The part of `total` between two marks of a scale up to `all`: parts that follow one another add up without a rest.
std::int64_t part_of(std::int64_t total, TimePs begin, TimePs end, TimePs all) {
  const auto until = [&](TimePs mark) { return static_cast<std::int64_t>(Int128{total} * mark / all); };
  return until(end) - until(begin);
}

std::optional<std::int64_t> counted(double amount) {
  constexpr double kMost = 9e18;
  return amount >= 0 && amount < kMost ? std::optional<std::int64_t>(std::llround(amount)) : std::nullopt;
}

}  // namespace

RankWorks::RankWorks(const trace::Trace& trace, std::size_t place) {
  // What there is to remark is remarked by whoever explains the work. A rank in which nothing was recorded has no
  // window.
  Diagnostics unsaid;
  causal::WindowRequest whole;
  whole.annotation = "";
  Result<analyze::DeviceRank> devices = analyze::look_at_devices(trace, trace.ranks[place], whole, false, unsaid);
  if (!devices) return;
  devices_.emplace(std::move(*devices));
  origins_ = std::make_unique<analyze::WorkOrigins>(trace, trace.ranks[place], devices_->timeline);
  node_.assign(size(), 0);
  const analyze::GraphLaunches& launches = origins_->launches();
  for (const analyze::GraphLaunch& launch : launches.launches) {
    std::uint32_t number = 0;
    for (const std::uint32_t w : launches.works_of(launch)) node_[w] = number++;
  }
}

RankWorks::Steps RankWorks::find_steps() const {
  Steps found{analyze::measure_steps(*devices_), std::vector(size(), kNoStepOfWork)};
  for (std::size_t s = 0; s < found.steps.steps.size(); ++s) {
    analyze::MeasuredStep& step = found.steps.steps[s];
    for (const std::uint32_t w : step.work_numbers) found.of_work[w] = static_cast<std::uint32_t>(s);
    // Each work says it now.
    step.work_numbers = {};
  }
  return found;
}

const analyze::MeasuredStep* RankWorks::step_of(std::uint32_t work) {
  if (!steps_) steps_ = find_steps();
  const std::uint32_t step = steps_->of_work[work];
  return step == kNoStepOfWork ? nullptr : &steps_->steps.steps[step];
}

RankWorks::Prices RankWorks::find_prices(const machine::Device& device) {
  Prices found{analyze::price_works(*devices_, *origins_, device), std::vector<TimePs>(size(), 0), {}};
  found.weight.assign(found.priced.calls.size(), 0);
  for (std::uint32_t w = 0; w < size(); ++w) {
    const std::uint32_t place = found.priced.of_work[w];
    if (place == analyze::PricedWorks::kNoCall) continue;
    found.before[w] = found.weight[place];
    found.weight[place] += weight_of(w, found.priced.calls[place]);
  }
  return found;
}

std::optional<WorkPrice> RankWorks::price_of(std::uint32_t work, const machine::Device& device) {
  if (!prices_) prices_ = find_prices(device);
  const std::uint32_t place = prices_->priced.of_work[work];
  if (place == analyze::PricedWorks::kNoCall || !prices_->priced.calls[place].cost) return std::nullopt;
  const analyze::PricedCall& call = prices_->priced.calls[place];
  const TimePs begin = prices_->before[work], end = begin + weight_of(work, call);
  const auto part = [&](const std::optional<std::int64_t>& total) {
    return total ? std::optional(part_of(*total, begin, end, prices_->weight[place])) : std::nullopt;
  };
  return WorkPrice{.kind = call.cost->kind,
                   .flops = part(counted(call.cost->flops)),
                   .bytes = part(counted(call.cost->bytes)),
                   .roof = part(call.roof)};
}

}  // namespace orrery::query

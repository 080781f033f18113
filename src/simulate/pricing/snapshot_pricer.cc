#include "simulate/pricing/snapshot_pricer.h"

#include <unordered_map>
#include <utility>

namespace orrery::simulate {

Result<PricedOperations> LinkSnapshotPricer::price(const Recording& recording, const SnapshotSettings& settings) {
  PricedOperations priced;
  slowdowns_.assign(recording.ops.size(), 1);
  std::vector<ScheduledPlan> schedule;
  std::vector<std::uint32_t> places, fabrics;  // of the schedule: of those that are not too small
  for (std::uint32_t i = 0; i < recording.ops.size(); ++i) {
    const RecordedOp& recorded = recording.ops[i];
    const CommOp op = recording.op(i);
    const auto plan = lowering_->plan(op);
    if (!plan) return plan.error();
    priced.isolated_ps.push_back(isolated_price(**plan, bytes_moved(op)).total_ps);
    if (recorded.bytes < coalesce_below_bytes_) {
      ++priced.coalesced;
      continue;
    }
    schedule.push_back({.plan = *plan, .bytes = bytes_moved(op), .interval = {recorded.start_ps, recorded.end_ps}});
    places.push_back(i);
    if (!settings.fabric_of.empty()) fabrics.push_back(settings.fabric_of[i]);
  }
  SnapshotSettings own = settings;
  own.fabric_of = fabrics;
  own.intervals = &priced.intervals;
  const std::vector<Price> prices = snapshot_prices(lowering_->network(), schedule, own);
  priced.price_ps = priced.isolated_ps;
  for (std::size_t i = 0; i < places.size(); ++i) {
    priced.price_ps[places[i]] = prices[i].total_ps;
    slowdowns_[places[i]] = prices[i].slowdown;
  }
  for (SnapshotInterval& interval : priced.intervals) {
    for (SnapshotMember& member : interval.members) member.operation = places[member.operation];
  }
  return priced;
}

void LinkSnapshotPricer::apply(const Recording& recording, const PricedOperations& /*priced*/) {
  std::unordered_map<OpId, double> slowdowns;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    if (slowdowns_[i] != 1) slowdowns.emplace(recording.ops[i].id, slowdowns_[i]);
  }
  model_.set_slowdowns(std::move(slowdowns));
}

BookSnapshotPricer::BookSnapshotPricer(PriceBook& book, Lowering& lowering, std::int64_t coalesce_below_bytes)
    : book_(book),
      lowering_(lowering),
      model_([this](const CommOp& op) -> Result<Price> {
        const Result<PriceBook::Answer> answer = book_.alone(op);
        if (!answer) return answer.error();
        return Price{answer->total_ps, 0, answer->total_ps};
      }),
      coalesce_below_bytes_(coalesce_below_bytes) {}

void BookSnapshotPricer::apply(const Recording& recording, const PricedOperations& priced) {
  std::unordered_map<OpId, TimePs> prices;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) prices.emplace(recording.ops[i].id, priced.price_ps[i]);
  model_.set_prices(std::move(prices));
}

}  // namespace orrery::simulate

#include "simulate/models/snapshot_model.h"

#include <cmath>

namespace orrery::simulate {

Result<std::vector<Price>> SnapshotModel::estimate(std::span<const CommOp> ops) {
  std::vector<CommInterval> intervals;
  for (const CommOp& op : ops) {
    const auto alone = estimate(op);
    if (!alone) return alone.error();
    intervals.push_back({.start_ps = 0, .end_ps = alone->total_ps});
  }
  return snapshot_prices(*lowering(), ops, intervals);
}

void SnapshotModel::reprice() {
  const std::vector<Price> prices = snapshot_prices(lowering()->network(), schedule_);
  slowdowns_.clear();
  for (std::size_t i = 0; i < ids_.size(); ++i) slowdowns_[ids_[i]] = prices[i].slowdown;
  restart();
}

void SnapshotModel::restart() {
  IsolatedModel::restart();
  schedule_.clear();
  ids_.clear();
}

TimePs SnapshotModel::flow_ps(const Running& op) const {
  const TimePs alone = IsolatedModel::flow_ps(op);
  const auto slowed = slowdowns_.find(op.id);
  if (slowed == slowdowns_.end()) return alone;
  return static_cast<TimePs>(std::llround(static_cast<double>(alone) * slowed->second));
}

void SnapshotModel::op_ended(const Running& op, TimePs now) {
  schedule_.push_back({.plan = op.plan, .bytes = op.bytes, .interval = {.start_ps = op.start_ps, .end_ps = now}});
  ids_.push_back(op.id);
}

}  // namespace orrery::simulate

// The snapshot model in the loop of an engine: run the workload once (as isolated), reprice(), and run it again.
#pragma once

#include <unordered_map>
#include <vector>

#include "simulate/models/isolated_model.h"
#include "simulate/models/snapshot.h"

namespace orrery::simulate {

/// Operations must have the same ids in both runs.
class SnapshotModel final : public IsolatedModel {
 public:
  using IsolatedModel::IsolatedModel;

  using IsolatedModel::estimate;
  /// Started together at their isolated prices, then priced from the snapshots of that.
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;

  /// What was repriced stays so.
  void restart() override;
  /// What operations take depends on which they are.
  [[nodiscard]] bool is_at_rest() const override { return false; }
  /// From now on operations take what the snapshots of the run so far say; those that were not in it take what they take alone. Nothing
  /// may be in flight; the clock and the use of the links start from zero.
  void reprice();
  /// The same with prices from elsewhere: by how much longer an operation moves its bytes than alone.
  void set_slowdowns(std::unordered_map<OpId, double> slowdowns) { slowdowns_ = std::move(slowdowns); }

 private:
  [[nodiscard]] TimePs flow_ps(const Running& op) const override;
  void op_ended(const Running& op, TimePs now) override;

  std::vector<ScheduledPlan> schedule_;
  std::vector<OpId> ids_;  ///< of schedule_
  std::unordered_map<OpId, double> slowdowns_;
};

}  // namespace orrery::simulate

// What operations would have cost, had they shared the links while a schedule ran that was made without sharing:
// between two starts or ends the set of operations in flight is frozen and its rates are max-min fair. One look back,
// no loop: for comparison with tools that work like this, and for oracles too slow for a loop. Optimistic at first,
// pessimistic if repeated, and it does not converge.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "simulate/collective/lowering.h"
#include "simulate/models/link_models.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

struct SnapshotMember {
  std::uint32_t operation = 0;  ///< by its place in the list that was priced
  double inflation = 1;         ///< how much longer it takes in this company than alone
};

/// A stretch of time in which the set of operations under way did not change, and what being together did to each of
/// them.
struct SnapshotInterval {
  TimePs start_ps = 0;
  TimePs end_ps = 0;
  bool failed = false;  ///< could not be priced: its members count as alone
  std::vector<SnapshotMember> members = {};
};

/// When an operation ran, launch and latencies included.
struct CommInterval {
  TimePs start_ps = 0;
  TimePs end_ps = 0;
};

struct ScheduledPlan {
  Lowering::SharedPlan plan;
  double bytes = 0;
  CommInterval interval;
};

struct SnapshotSettings {
  TimePs merge_ps = 0;   ///< moments at most this far after another count as that one
  double threshold = 0;  ///< an inflation of at most 1 + this counts as none
  /// By operation: those of different fabrics do not meet. Empty: all are of one.
  std::span<const std::uint32_t> fabric_of = {};
  /// If given, gets every interval in which anything flows, with the operations that do.
  std::vector<SnapshotInterval>* intervals = nullptr;
};

/// By operation. Within its interval an operation spends its alphas as planned, and the rest on its phases in
/// proportion to what they take alone; only while it moves bytes does it share. The time of a phase alone is multiplied
/// by the mean over its time of its rate alone over its rate in the snapshot. What has no length left after merging
/// moments shares nothing. O(snapshots * operations in flight), besides the solver's work.
std::vector<Price> snapshot_prices(const machine::Network& network, std::span<const ScheduledPlan> schedule,
                                   const SnapshotSettings& settings = {});

/// The same for operations, one interval each.
Result<std::vector<Price>> snapshot_prices(Lowering& lowering, std::span<const CommOp> ops,
                                           std::span<const CommInterval> intervals,
                                           const SnapshotSettings& settings = {});

/// The moments at which a set changes, those that are close together taken for one: ascending, each more than
/// `merge_ps` after the one before it.
std::vector<TimePs> merged_moments(std::vector<TimePs> moments, TimePs merge_ps);
/// The one that `moment`, which was among those merged, counts as.
TimePs moment_of(std::span<const TimePs> moments, TimePs moment);

/// Every operation takes what it takes alone, its flow longer by the slowdown that somebody found for it. Operations
/// must have the same ids whenever a workload is run.
class SnapshotModel final : public IsolatedModel {
 public:
  using IsolatedModel::IsolatedModel;

  using IsolatedModel::estimate;
  /// Started together at their isolated prices, then priced from the snapshots of that.
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override;

  /// What operations take depends on which they are.
  [[nodiscard]] NetworkSteadyState* steady_state() override { return nullptr; }
  /// From now on: by how much longer an operation moves its bytes than alone; those that are not in it take what they
  /// take alone. Stays so when the model is restarted.
  void set_slowdowns(std::unordered_map<OpId, double> slowdowns) { slowdowns_ = std::move(slowdowns); }

 private:
  [[nodiscard]] TimePs flow_ps(const Running& op) const override;

  std::unordered_map<OpId, double> slowdowns_;
};

}  // namespace orrery::simulate

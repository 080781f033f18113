// What operations would have cost, had they shared the links while a schedule ran that was made without sharing: between two starts or ends
// the set of operations in flight is frozen and its rates are max-min fair. One look back, no loop: for comparison with tools that work like
// this, and for oracles too slow for a loop. Optimistic at first, pessimistic if repeated, and it does not converge.
#pragma once

#include <span>
#include <vector>

#include "simulate/collective/lowering.h"
#include "simulate/models/snapshot_interval.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

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

/// By operation. Within its interval an operation spends its alphas as planned, and the rest on its phases in proportion to what they take
/// alone; only while it moves bytes does it share. The time of a phase alone is multiplied by the mean over its time of its rate alone over
/// its rate in the snapshot. What has no length left after merging moments shares nothing.
/// O(snapshots * operations in flight), besides the solver's work.
std::vector<Price> snapshot_prices(const machine::Network& network, std::span<const ScheduledPlan> schedule,
                                   const SnapshotSettings& settings = {});

/// The same for operations, one interval each.
Result<std::vector<Price>> snapshot_prices(Lowering& lowering, std::span<const CommOp> ops, std::span<const CommInterval> intervals,
                                           const SnapshotSettings& settings = {});

}  // namespace orrery::simulate

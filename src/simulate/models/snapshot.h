// What operations would have cost, had they shared the links while a schedule ran that was made without sharing: between two starts or ends
// the set of operations in flight is frozen and its rates are max-min fair. One look back, no loop: for comparison with tools that work like
// this, and for oracles too slow for a loop. Optimistic at first, pessimistic if repeated, and it does not converge.
#pragma once

#include <span>
#include <vector>

#include "simulate/collective/lowering.h"
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

/// By operation. Within its interval an operation spends its alphas as planned, and the rest on its phases in proportion to what they take
/// alone; only while it moves bytes does it share. The time of a phase alone is multiplied by the mean over its time of its rate alone over
/// its rate in the snapshot. Moments at most `merge_ps` after another count as that one; what has no length left shares nothing.
/// O(snapshots * operations in flight), besides the solver's work.
std::vector<Price> snapshot_prices(const machine::Network& network, std::span<const ScheduledPlan> schedule, TimePs merge_ps = 0);

/// The same for operations, one interval each.
Result<std::vector<Price>> snapshot_prices(Lowering& lowering, std::span<const CommOp> ops, std::span<const CommInterval> intervals,
                                           TimePs merge_ps = 0);

}  // namespace orrery::simulate

#include "simulate/collective/schedules.h"

#include <utility>

#include "simulate/collective/dimension_levels.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

/// Up to how many routes direct exchange is looked at within a hierarchy: a second or two.
constexpr std::size_t kMaxPairs = std::size_t{1} << 25;

/// Sums that differ by rounding alone count as equal.
bool clearly_less(double a, double b) { return a < b * (1 - 1e-9); }

struct Cost {
  double seconds_per_byte = 0;
  TimePs alpha_ps = 0;
};

Cost cost_of(const Phases& phases) {
  Cost cost;
  for (const PlanPhase& phase : phases) {
    cost.seconds_per_byte += phase.seconds_per_byte;
    cost.alpha_ps += phase.alpha_ps;
  }
  return cost;
}

}  // namespace

PlanPhase Draft::phase(double bytes_per_byte, TimePs alpha_ps, std::size_t steps) const {
  LinkWeights::Taken taken = weights.take();
  PlanPhase phase{.bytes_per_byte = bytes_per_byte * taken.transfers,
                  .shares = std::move(taken.shares),
                  .alpha_ps = alpha_ps,
                  .steps = static_cast<std::uint32_t>(steps),
                  .seconds_per_byte = 0,
                  .bottleneck = ~machine::LinkId{0}};
  find_bottleneck(phase, weights.network());
  return phase;
}

Phases fastest_phases(const Draft& draft, Collective collective, const GroupFamily& family) {
  Phases best;
  Cost best_cost;
  const auto consider = [&](Phases phases) {
    const Cost cost = cost_of(phases);
    const bool slower = clearly_less(best_cost.seconds_per_byte, cost.seconds_per_byte);
    const bool faster = clearly_less(cost.seconds_per_byte, best_cost.seconds_per_byte);
    if (!best.empty() && (slower || (!faster && cost.alpha_ps >= best_cost.alpha_ps))) return;
    best = std::move(phases);
    best_cost = cost;
  };
  const bool inside = lies_inside_node(family.group(0), draft.weights.network());
  const bool few_routes = workload::is_rooted(collective) || family.ranks.size() <= kMaxPairs / family.group_size;
  consider(ring_phases(draft, collective, family, false));
  consider(ring_phases(draft, collective, family, true));
  if (is_automatic(Algorithm::direct, collective, inside) && few_routes)
    consider(direct_phases(draft, collective, family));
  // A barrier along one of several dimensions is an all_gather of nothing, and not up and down a tree.
  if (can_do(Algorithm::double_binary_tree, collective) && collective != Collective::barrier)
    consider(double_binary_tree_phases(draft, collective, family));
  return best;
}

}  // namespace orrery::simulate

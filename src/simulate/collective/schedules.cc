#include "simulate/collective/schedules.h"

#include <utility>

#include "simulate/collective/dimension_levels.h"

namespace orrery::simulate {

namespace {

/// In-order numbering: odd nodes are leaves, and the lowest set bit of a number tells its height. The parent is where
/// that bit moves up by one; beyond the last node, the nearest ancestor that exists. Node 0 is the root above all.
std::uint32_t parent_in_order(std::uint32_t node, std::uint32_t nodes) {
  if (node == 0) return 0;
  const std::uint32_t bit = node & (~node + 1);
  const std::uint32_t above = node ^ bit;
  const std::uint64_t sideways = above | (std::uint64_t{bit} << 1);
  return sideways < nodes ? static_cast<std::uint32_t>(sideways) : above;
}

}  // namespace

TwoTrees two_trees(std::uint32_t nodes) {
  TwoTrees trees{.first = std::vector<std::uint32_t>(nodes), .second = std::vector<std::uint32_t>(nodes)};
  // Even: the mirror image swaps odd and even numbers, so leaves and inner nodes. Odd: a shift by one does, but for the
  // last node.
  const auto renumbered = [&](std::uint32_t node) { return nodes % 2 == 0 ? nodes - 1 - node : (node + 1) % nodes; };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t parent = parent_in_order(node, nodes);
    trees.first[node] = parent;
    trees.second[renumbered(node)] = renumbered(parent);
  }
  return trees;
}

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

PlanPhase PhaseBuilder::phase(double bytes_per_byte, TimePs alpha_ps, std::size_t steps) const {
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

Phases fastest_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
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
  const bool inside = lies_inside_node(family.group(0), builder.weights.network());
  const bool few_routes = workload::is_rooted(collective) || family.ranks.size() <= kMaxPairs / family.group_size;
  consider(ring_phases(builder, collective, family, false));
  consider(ring_phases(builder, collective, family, true));
  if (is_automatic(Algorithm::direct, collective, inside) && few_routes)
    consider(direct_phases(builder, collective, family));
  // A barrier along one of several dimensions is an all_gather of nothing, and not up and down a tree.
  if (can_do(Algorithm::double_binary_tree, collective) && collective != Collective::barrier)
    consider(double_binary_tree_phases(builder, collective, family));
  return best;
}

}  // namespace orrery::simulate

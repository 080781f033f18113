// The phases of each algorithm, for groups that are already known to be sound. Private to the lowering; lowering.h is
// the way in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "simulate/collective/plan.h"
#include "workload/workload.h"

namespace orrery::simulate {

// Two binary trees over the same nodes in which no node has children twice.

/// By node: its parent; the root is its own.
struct TwoTrees {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
};

/// Any number of nodes from 1 up. Every node has at most two children, and a path to the root has at most
/// ceil(log2(nodes)) + 1 edges. With an even number no node has children in both trees; with an odd one, at most one
/// has.
TwoTrees two_trees(std::uint32_t nodes);

/// Groups of equal size that do the same at the same time, at one common rate: one group, or all rows of a torus.
/// Rooted collectives have their root in front; the others have their ranks in ascending order, so that neighbours in a
/// group are near in the machine (the first dimension varies fastest).
struct GroupFamily {
  std::vector<std::uint32_t> ranks;  ///< group after group
  std::size_t group_size = 0;        ///< at least 2

  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): see group_size
  [[nodiscard]] std::size_t group_count() const { return ranks.size() / group_size; }
  [[nodiscard]] std::span<const std::uint32_t> group(std::size_t g) const {
    return {&ranks[g * group_size], group_size};
  }
};

/// Puts the phases of a schedule together.
struct PhaseBuilder {
  LinkWeights& weights;
  TimePs message_overhead_ps = 0;

  /// Closes a phase: takes the links loaded since the last one.
  [[nodiscard]] PlanPhase phase(double bytes_per_byte, TimePs alpha_ps, std::size_t steps) const;
};

using Phases = std::vector<PlanPhase>;

// A barrier is an all_gather of nothing: everybody knows that everybody has come. Through trees it is an all_reduce of
// nothing.

/// O(links crossed by 2n transfers between neighbours).
Phases ring_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family,
                   bool both_ways);

/// The same for one group of ascending ranks, `root` an index into them, as several rings that share the bytes: see
/// Channels.
Phases ring_channels(const PhaseBuilder& builder, workload::Collective collective, std::span<const std::uint32_t> ranks,
                     std::size_t root, bool both_ways);

/// O(n^2) routes per group, O(n) for rooted collectives.
Phases direct_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family);

/// Parts of unequal size, as CommOp::parts has them, each sent straight to whoever needs it: one phase of transfers
/// that end together, so that the busiest link decides. `whole_bytes` is the size of the operation. O(n^2) routes, O(n)
/// for rooted collectives.
Phases unequal_phases(const PhaseBuilder& builder, workload::Collective collective,
                      std::span<const std::uint32_t> ranks, std::size_t root, std::span<const std::int64_t> parts,
                      double whole_bytes);

/// O(n log n) routes. The group size must be a power of two.
Phases halving_doubling_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family);

/// O(n log n) routes. broadcast, scatter, reduce, gather; all_reduce and barrier up to the first member and down again.
Phases binomial_tree_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family);
/// O(n log n) routes. all_reduce, and barrier as one of nothing.
Phases recursive_doubling_phases(const PhaseBuilder& builder, const GroupFamily& family);
/// O(n log n) routes. all_gather, all_to_all; barrier: dissemination.
Phases bruck_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family);
/// O(n^2) routes. all_to_all and reduce_scatter: what direct does at once, rank after rank.
Phases pairwise_phases(const PhaseBuilder& builder, const GroupFamily& family);

/// O(n) routes, O(n log n) for all_gather and reduce_scatter. Not all_to_all, gather, scatter.
Phases double_binary_tree_phases(const PhaseBuilder& builder, workload::Collective collective,
                                 const GroupFamily& family);

/// all_reduce and barrier over one group of ascending ranks: trees over places, from whose nodes chains hang within the
/// places. Several of them that share the bytes: see Channels.
Phases tree_channels(const PhaseBuilder& builder, std::span<const std::uint32_t> ranks);

/// `ranks` ascend; `root` is an index into them. An Error if they lie unevenly in the machine's dimensions. Within one
/// dimension, the same as fastest_phases(). O(n) routes, and n times the ranks along a dimension where direct is looked
/// at.
Result<Phases> hierarchical_phases(const PhaseBuilder& builder, workload::Collective collective,
                                   std::span<const std::uint32_t> ranks, std::size_t root);

/// The phases that move a byte of the operation fastest, of the algorithms of the automatic choice that apply within
/// one dimension of a hierarchy; then those with the least alpha, then the first in the order of Algorithm.
Phases fastest_phases(const PhaseBuilder& builder, workload::Collective collective, const GroupFamily& family);

}  // namespace orrery::simulate

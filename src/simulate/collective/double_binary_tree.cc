// Two trees with half of the bytes each, in which nobody is an inner node twice: Sanders, Speck and Träff, "Two-tree
// algorithms for full bandwidth broadcast, reduction and scan", 2009. The buffer flows through in small pieces, so that
// all edges are busy at once.
#include <algorithm>

#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

/// What it takes from the farthest leaf to the root of one tree (up), and from the root to the farthest leaf (down).
struct Depth {
  TimePs up_ps = 0;
  TimePs down_ps = 0;
  std::size_t hops = 0;
};

/// Along the path from each node to the root, the most that `cost` sums up to.
template <typename Cost>
Cost longest_path(std::span<const std::uint32_t> parents, const std::vector<Cost>& cost) {
  std::vector<Cost> sums(parents.size(), -1);
  std::vector<std::size_t> path;
  Cost longest = 0;
  for (std::size_t node = 0; node < parents.size(); ++node) {
    std::size_t at = node;
    for (; sums[at] < 0 && parents[at] != at; at = parents[at]) path.push_back(at);
    Cost sum = std::max<Cost>(sums[at], 0);
    for (; !path.empty(); path.pop_back()) sum = sums[path.back()] = sum + cost[path.back()];
    longest = std::max(longest, sum);
  }
  return longest;
}

/// Loads the links of one tree in the directions asked for. `members[parents[i]]` is the parent of member i.
Depth add_tree(const PhaseBuilder& builder, std::span<const std::uint32_t> members,
               std::span<const std::uint32_t> parents, bool up, bool down) {
  const std::size_t n = members.size();
  std::vector<TimePs> up_ps(n), down_ps(n), children(n);
  for (std::size_t i = 0; i < n; ++i) children[parents[i]] += parents[i] != i;
  for (std::size_t i = 0; i < n; ++i) {
    if (parents[i] == i) continue;
    const std::uint32_t parent = members[parents[i]];
    // A parent sends to its children one after the other; the last one waits longest.
    if (up) up_ps[i] = builder.weights.add(members[i], parent) + builder.message_overhead_ps;
    if (down) down_ps[i] = builder.weights.add(parent, members[i]) + children[parents[i]] * builder.message_overhead_ps;
  }
  return {.up_ps = longest_path(parents, up_ps),
          .down_ps = longest_path(parents, down_ps),
          .hops = static_cast<std::size_t>(longest_path(parents, std::vector<int>(n, 1)))};
}

/// The trees over all members but the first, with the first above their roots.
std::vector<std::uint32_t> below_a_root(std::vector<std::uint32_t> parents) {
  std::vector<std::uint32_t> lifted(parents.size() + 1);
  for (std::uint32_t i = 0; i < parents.size(); ++i) lifted[i + 1] = parents[i] == i ? 0 : parents[i] + 1;
  return lifted;
}

/// The tree over places joins the ranks number `entry` of each; from these a chain goes through the rest of the place.
std::vector<std::uint32_t> with_chains(std::span<const std::uint32_t> over_places, std::size_t ranks_per_place,
                                       std::size_t entry) {
  std::vector<std::uint32_t> parents(over_places.size() * ranks_per_place);
  for (std::size_t place = 0; place < over_places.size(); ++place) {
    const auto rank = [&](std::size_t in_place, std::size_t i) {
      return static_cast<std::uint32_t>(in_place * ranks_per_place + (entry + i) % ranks_per_place);
    };
    parents[rank(place, 0)] = rank(over_places[place], 0);
    for (std::size_t i = 1; i < ranks_per_place; ++i) parents[rank(place, i)] = rank(place, i - 1);
  }
  return parents;
}

/// A tree from (`inwards`: to) every rank, each with one block: at distance 1, 2, 4, … everybody has one partner, to
/// whom go the blocks of all trees that pass there. What flows is flowing through all of them at once. NCCL's PAT
/// (2.23); the trees are those of Bruck et al., 1997.
PlanPhase aggregated_trees(const PhaseBuilder& builder, const GroupFamily& family, bool inwards) {
  const std::size_t n = family.group_size;
  TimePs alpha = 0;
  std::size_t steps = 0;
  for (std::size_t distance = 1; distance < n; distance *= 2, ++steps) {
    const auto blocks = static_cast<double>(std::min(distance, n - distance));
    TimePs latency = 0;
    for (std::size_t g = 0; g < family.group_count(); ++g) {
      const auto members = family.group(g);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t before = members[i], after = members[(i + distance) % n];
        latency = std::max(
            latency, inwards ? builder.weights.add(before, after, blocks) : builder.weights.add(after, before, blocks));
      }
    }
    alpha += latency + builder.message_overhead_ps;
  }
  return builder.phase(1 / static_cast<double>(n), alpha, steps);
}

}  // namespace

Phases tree_channels(const PhaseBuilder& builder, std::span<const std::uint32_t> ranks) {
  const Channels channels = channels_over_places(ranks, builder.weights.network());
  const TwoTrees trees = two_trees(static_cast<std::uint32_t>(ranks.size() / channels.ranks_per_place));
  TimePs alpha = 0;
  std::size_t hops = 0;
  for (std::size_t channel = 0; channel < channels.count; ++channel) {
    for (const auto* over_places : {&trees.first, &trees.second}) {
      const auto parents = with_chains(*over_places, channels.ranks_per_place, channels.entry(channel));
      const Depth depth = add_tree(builder, ranks, parents, true, true);
      alpha = std::max(alpha, depth.up_ps + depth.down_ps);
      hops = std::max(hops, depth.hops);
    }
  }
  return {builder.phase(0.5 / static_cast<double>(channels.count), alpha, 2 * hops)};
}

Phases double_binary_tree_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
  if (collective == Collective::all_gather || collective == Collective::reduce_scatter)
    return {aggregated_trees(builder, family, collective == Collective::reduce_scatter)};
  const bool rooted = workload::is_rooted(collective);
  TwoTrees trees = two_trees(static_cast<std::uint32_t>(family.group_size - (rooted ? 1 : 0)));
  if (rooted) trees = {below_a_root(std::move(trees.first)), below_a_root(std::move(trees.second))};

  const bool up = collective != Collective::broadcast, down = collective != Collective::reduce;
  TimePs alpha = 0;
  std::size_t hops = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    for (const auto* parents : {&trees.first, &trees.second}) {
      const Depth depth = add_tree(builder, family.group(g), *parents, up, down);
      alpha = std::max(alpha, depth.up_ps + depth.down_ps);
      hops = std::max(hops, depth.hops);
    }
  }
  return {builder.phase(0.5, alpha, up && down ? 2 * hops : hops)};
}

}  // namespace orrery::simulate

// Two trees with half of the bytes each, in which nobody is an inner node twice: Sanders, Speck and Träff, "Two-tree algorithms for full
// bandwidth broadcast, reduction and scan", 2009. The buffer flows through in small pieces, so that all edges are busy at once.
#include <algorithm>

#include "simulate/collective/schedules.h"
#include "simulate/collective/two_trees.h"

namespace orrery::simulate {

using graph::Collective;

namespace {

/// What it takes from the farthest leaf to the root of one tree (up), and from the root to the farthest leaf (down).
struct Depth {
  TimePs up_ps = 0;
  TimePs down_ps = 0;
  std::size_t hops = 0;
};

/// Loads the links of one tree in the directions asked for. `members[tree parent]` is the parent of a member.
Depth add_tree(const Draft& draft, std::span<const std::uint32_t> members, std::span<const std::uint32_t> parents, bool up, bool down) {
  const std::size_t n = members.size();
  std::vector<TimePs> up_ps(n), down_ps(n), children(n);
  for (std::size_t i = 0; i < n; ++i) children[parents[i]] += parents[i] != i;
  for (std::size_t i = 0; i < n; ++i) {
    if (parents[i] == i) continue;
    const std::uint32_t parent = members[parents[i]];
    // A parent sends to its children one after the other; the last one waits longest.
    if (up) up_ps[i] = draft.weights.add(members[i], parent) + draft.message_overhead_ps;
    if (down) down_ps[i] = draft.weights.add(parent, members[i]) + children[parents[i]] * draft.message_overhead_ps;
  }
  Depth depth;
  for (std::size_t i = 0; i < n; ++i) {
    Depth path;
    for (std::size_t at = i; parents[at] != at; at = parents[at], ++path.hops) {
      path.up_ps += up_ps[at];
      path.down_ps += down_ps[at];
    }
    depth.up_ps = std::max(depth.up_ps, path.up_ps);
    depth.down_ps = std::max(depth.down_ps, path.down_ps);
    depth.hops = std::max(depth.hops, path.hops);
  }
  return depth;
}

/// The trees over all members but the first, with the first above their roots.
std::vector<std::uint32_t> below_a_root(std::vector<std::uint32_t> parents) {
  std::vector<std::uint32_t> lifted(parents.size() + 1);
  for (std::uint32_t i = 0; i < parents.size(); ++i) lifted[i + 1] = parents[i] == i ? 0 : parents[i] + 1;
  return lifted;
}

}  // namespace

Phases double_binary_tree_phases(const Draft& draft, Collective collective, const GroupFamily& family) {
  const bool rooted = graph::is_rooted(collective);
  TwoTrees trees = two_trees(static_cast<std::uint32_t>(family.group_size - (rooted ? 1 : 0)));
  if (rooted) trees = {below_a_root(std::move(trees.first)), below_a_root(std::move(trees.second))};

  const bool up = collective != Collective::broadcast, down = collective != Collective::reduce;
  TimePs alpha = 0;
  std::size_t hops = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    for (const auto* parents : {&trees.first, &trees.second}) {
      const Depth depth = add_tree(draft, family.group(g), *parents, up, down);
      alpha = std::max(alpha, depth.up_ps + depth.down_ps);
      hops = std::max(hops, depth.hops);
    }
  }
  return {draft.phase(0.5, alpha, up && down ? 2 * hops : hops)};
}

}  // namespace orrery::simulate

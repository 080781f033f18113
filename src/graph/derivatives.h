// How the length answers to a small growth of a node, an edge or a whole group of them.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/longest_path.h"

namespace orrery::graph {

/// The derivative of length() with respect to each duration and each weight, growing: 1 on the path that the tie-breaks choose, 0
/// elsewhere. Off the path that is exact where slack is left; with a slack of 0 another path is as long and growth there counts too.
class Derivatives {
 public:
  /// O(path), and one bit per node and edge.
  explicit Derivatives(const Solution& solution);

  [[nodiscard]] int node(NodeId node) const { return nodes_[node] ? 1 : 0; }
  [[nodiscard]] int edge(Slot slot) const { return slots_[slot] ? 1 : 0; }
  [[nodiscard]] const Path& path() const { return path_; }

 private:
  Path path_;
  std::vector<bool> nodes_;
  std::vector<bool> slots_;
};

/// The part of a group on the path.
struct GroupDerivative {
  /// Sum of durations and weights, saturated: d length / d factor when all members are scaled by a factor, at factor 1.
  TimePs total = 0;
  /// Members: d length / d constant when a constant is added to each.
  std::uint64_t count = 0;
};

inline constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

/// One walk back along the path. `group_of_node(NodeId)` and `group_of_slot(Slot)` return a group below `groups`, or kNoGroup.
/// The totals of all groups add up to the length when every node and edge has a group.
template <typename GroupOfNode, typename GroupOfSlot>
std::vector<GroupDerivative> group_derivatives(const Solution& solution, std::uint32_t groups, GroupOfNode&& group_of_node,
                                               GroupOfSlot&& group_of_slot) {
  std::vector<GroupDerivative> derivatives(groups);
  const auto add = [&](std::uint32_t group, TimePs time) {
    if (group == kNoGroup) return;
    TimePs& total = derivatives[group].total;
    if (__builtin_add_overflow(total, time, &total)) total = time < 0 ? INT64_MIN : INT64_MAX;
    ++derivatives[group].count;
  };
  solution.walk_back(solution.end(), [&](NodeId node, Slot chosen) {
    add(group_of_node(node), solution.duration(node));
    if (chosen != kNoSlot) add(group_of_slot(chosen), solution.weight(chosen));
  });
  return derivatives;
}

}  // namespace orrery::graph

#include "simulate/collective/two_trees.h"

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

}  // namespace orrery::simulate

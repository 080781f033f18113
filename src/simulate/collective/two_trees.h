// Two binary trees over the same nodes in which no node has children twice.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::simulate {

/// By node: its parent; the root is its own.
struct TwoTrees {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
};

/// Any number of nodes from 1 up. Every node has at most two children, and a path to the root has at most
/// ceil(log2(nodes)) + 1 edges. With an even number no node has children in both trees; with an odd one, at most one
/// has.
TwoTrees two_trees(std::uint32_t nodes);

}  // namespace orrery::simulate

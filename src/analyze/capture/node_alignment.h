// Which node of a capture each piece of work of a graph launch is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace orrery::analyze {

/// What is compared of nodes and works: numbers that mean the same on both sides.
struct NodeKey {
  trace::Activity kind = trace::Activity::kernel;
  std::uint32_t name = 0;  ///< of the kernel; 0: not known
  std::uint32_t grid = 0;  ///< the same
  auto operator<=>(const NodeKey&) const = default;
};

inline constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

struct NodeAlignment {
  std::vector<std::uint32_t> node_of_work;  ///< kNoNode where none fits
  std::uint32_t matched = 0;                ///< works with a node
  std::uint32_t names = 0;                  ///< of these, with the same name on both sides
};

/// Nodes are in the order of the capture. `streams`: of each work a number; `has_order`: works are in the order in
/// which nodes were made, whatever streams they run on. Kinds must agree, names where both are known, and grids.
///
/// In one order: place by place if there are as many of both and that fits, else the longest common subsequence. On
/// several streams without an order: an order of all works that keeps that of each stream and fits the nodes, found by
/// search, the work that starts first being tried first; that needs names. Nothing fits where there is none.
NodeAlignment align_nodes(std::span<const NodeKey> nodes, std::span<const NodeKey> works,
                          std::span<const std::uint32_t> streams, bool has_order);

}  // namespace orrery::analyze

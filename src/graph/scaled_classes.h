// What-ifs that make whole classes of edges faster or slower: every edge belongs to one class or to none, and a
// scenario scales some of them. Nothing is written down per edge and scenario, so that a class may have any part of the
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::graph {

inline constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

struct ScaledClass {
  std::uint32_t edge_class;
  double factor;
};
/// One scenario: each class at most once.
using Scaling = std::vector<ScaledClass>;

/// Lengths of scenario after scenario, in memory that is kept between calls: 8 bytes per node for each of at most eight
/// at a time (more with more than eight threads).
class ScaledLengths {
 public:
  /// `class_of`: by slot, kNoClass or below `classes`. Both must outlive it. No edge may be start-to-start.
  ScaledLengths(const Graph& graph, std::span<const std::uint32_t> class_of, std::size_t classes);

  /// What solve(edits, end).length() returns with the weights of the classes multiplied and rounded (half away from
  /// zero); for each scenario.
  std::vector<TimePs> solve(std::span<const Scaling> scenarios, NodeId end);

 private:
  template <std::uint32_t kLanes>
  void sweep(std::span<const Scaling> scenarios, TimePs* finish) const;
  template <std::uint32_t kLanes>
  void solve_lanes(std::span<const Scaling> scenarios, NodeId end, Column<TimePs>& finish, TimePs* lengths) const;

  const Graph& graph_;
  std::span<const std::uint32_t> class_of_;
  std::size_t classes_;
  std::vector<Column<TimePs>> finish_;  // per worker
};

}  // namespace orrery::graph

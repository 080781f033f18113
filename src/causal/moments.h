// Collects moments and the edges between them, and numbers them by time.
#pragma once

#include <algorithm>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"
#include "causal/edge_kind.h"
#include "graph/graph.h"

namespace orrery::causal {

/// Edges may be added in any order. One that leads back in time is left out when the graph is built: nothing is caused
/// by what comes later, and so the graph cannot have a cycle.
class Moments {
 public:
  /// `lane`: where it happened, a lane of the trace; kNoWork for nowhere in particular.
  std::uint32_t add(TimePs time, std::uint32_t lane);
  /// Returns the number of the edge.
  std::uint32_t connect(std::uint32_t from, std::uint32_t to, EdgeKind kind, TimePs weight, std::uint32_t tag);
  void set(std::uint32_t edge, EdgeKind kind, TimePs weight);
  void set_kind(std::uint32_t edge, EdgeKind kind) { edges_[edge].kind = kind; }
  /// It takes no longer than that.
  void limit(std::uint32_t edge, TimePs weight) { edges_[edge].weight = std::min(edges_[edge].weight, weight); }

  struct Numbered {
    graph::Graph graph;
    Column<TimePs> time;           ///< per node
    Column<std::uint32_t> lane;    ///< per node
    Column<std::uint32_t> number;  ///< moment -> node
  };
  /// Takes all that was added. Nodes are numbered by time, then in order of addition, so that every edge leads from a
  /// smaller to a larger number. `tag_of(tag)` replaces the tag of every edge that has one, in order of addition.
  template <typename TagOf>
  Result<Numbered> build(TagOf&& tag_of) {
    for (Edge& edge : edges_) {
      if (edge.tag != graph::kNoTag) edge.tag = tag_of(edge.tag);
    }
    return build();
  }

 private:
  struct Edge {
    std::uint32_t from, to;
    TimePs weight;
    std::uint32_t tag;
    EdgeKind kind;
  };

  Result<Numbered> build();

  Column<TimePs> time_;
  Column<std::uint32_t> lane_;
  Column<Edge> edges_;
};

}  // namespace orrery::causal

// Edges as a networkx DiGraph keeps them: adding an edge again overwrites its data but keeps its place.
#pragma once

#include <cstdint>

#include "causal/hta/window.h"

namespace orrery::causal::hta {

enum class EdgeType : std::uint8_t { operator_, dependency, kernel_launch_delay, kernel_kernel_delay, sync_dependency };
inline constexpr std::size_t kEdgeTypes = 5;
/// HTA's name without its prefix "critical_path_": operator, dependency, ...
const char* to_string(EdgeType type);

struct Edge {
  NodeNumber from;
  NodeNumber to;
  TimePs weight;        ///< of HTA's edge object; may be negative
  RowIndex attributed;  ///< the event whose time this is, kNoRow if none
  EdgeType type;
};

class EdgeList {
 public:
  explicit EdgeList(const Nodes& nodes) : nodes_(nodes) {}

  /// Weight is the time between the nodes, or 0 for dependencies, sync edges and where `zero_weight` says so.
  void add(NodeNumber from, NodeNumber to, EdgeType type, bool zero_weight = false);
  /// As add(), and attributes the edge by HTA's rule; `parent` is the row used when neither end belongs to the event.
  void add_attributed(NodeNumber from, NodeNumber to, EdgeType type, RowIndex parent, bool zero_weight = false);

  /// The edges in order of first insertion, each with the data of its last.
  Column<Edge> take();

 private:
  static constexpr RowIndex kKeepAttribution = kNoRow - 1;

  const Nodes& nodes_;
  Column<Edge> added_;
};

}  // namespace orrery::causal::hta

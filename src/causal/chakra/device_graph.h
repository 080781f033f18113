// Nodes and edges of device work: launches, the order on a stream, waits between streams, and host calls that wait for
// the device.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "causal/hta/edge_list.h"
#include "causal/hta/rows.h"
#include "causal/hta/window.h"

namespace orrery::causal::chakra {

// The graph through which chakra_trace_link looks for its critical path: nodes are numbered as they are made.

struct RankGraph {
  explicit RankGraph(const hta::Rows& of) : rows(of), edges(nodes) {
    nodes.start_of.assign(rows.size(), hta::kNoNode);
    nodes.end_of.assign(rows.size(), hta::kNoNode);
  }
  RankGraph(const RankGraph&) = delete;
  RankGraph& operator=(const RankGraph&) = delete;

  /// A start and an end, the next two numbers. Returns the start.
  hta::NodeNumber add_nodes(hta::RowIndex r) {
    const auto start = static_cast<hta::NodeNumber>(nodes.size());
    for (const bool is_start : {true, false}) {
      nodes.row.push_back(r);
      nodes.time.push_back(is_start ? rows.ts[r] : rows.end(r));
      nodes.is_start.push_back(is_start ? 1 : 0);
    }
    nodes.start_of[r] = start;
    nodes.end_of[r] = start + 1;
    return start;
  }

  const hta::Rows& rows;
  Column<hta::RowIndex> clipped;  ///< the rows under analysis, by index
  hta::Nodes nodes;
  hta::EdgeList edges;
};

/// To be called after add_host_threads. A text: the original raises a ValueError for this reason, and goes on without
/// synchronisation. An Error: it stops.
Result<std::optional<std::string>> add_device_work(RankGraph& graph);

}  // namespace orrery::causal::chakra

// The critical path of the first profiler step, from which chakra_trace_link takes what waited for what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "causal/hta/edge_list.h"
#include "causal/hta/rows.h"

namespace orrery::causal::chakra {

struct SyncPath {
  hta::Rows rows;
  hta::Nodes nodes;
  Column<hta::Edge> edges;  ///< in order of insertion
  std::vector<hta::NodeNumber> path_nodes;
  std::vector<std::uint32_t> path_edges;  ///< into `edges`, front to back
  std::optional<std::string> refusal;     ///< why there is no path, where the original says so and goes on
};

/// What HTA d731cc2 finds for the annotation ProfilerStep. Fails where it stops for another reason than a ValueError.
/// O(n log n).
Result<SyncPath> find_sync_path(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::causal::chakra

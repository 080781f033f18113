// The answers of `graphs` as Sheets.
#pragma once

#include <memory>
#include <vector>

#include "analyze/capture/launch_gaps.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// The graphs of one rank with all that the sheets say of them.
struct GraphRank {
  const DeviceRank* devices = nullptr;
  std::unique_ptr<WorkOrigins> origins;
  std::vector<LaunchGap> gaps;  ///< in the order of GraphLaunches::launches
};
std::vector<GraphRank> look_at_graphs(const std::vector<DeviceRank>& ranks);

/// rank device graph id launches works streams mean busy matched source capture ambiguous. `mean` is the span of a
/// launch, `busy` how much of it some work runs, `matched` how many works of a launch have an origin by `capture`.
report::Sheet graphs_sheet(const std::vector<GraphRank>& ranks);
/// Per graph the `top` nodes that take longest (0: all), in their order: what each is, and its times over all launches.
report::Sheet nodes_sheet(const std::vector<GraphRank>& ranks, std::size_t top);
/// A row per launch, in order of the calls on each device.
report::Sheet launches_sheet(const std::vector<GraphRank>& ranks);
/// What the host did while devices waited between launches, the longest first.
report::Sheet gap_causes_sheet(const std::vector<GraphRank>& ranks, std::size_t top);

}  // namespace orrery::analyze

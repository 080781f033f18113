// Graphs that a recording launches: which calls launch one, what runs below each call, and which launches are of the
// same graph.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "causal/device/device_timeline.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// cudaGraphLaunch, hipGraphLaunch, cuGraphLaunch.
bool is_graph_launch(std::string_view call);

/// The same by the number of the name, each looked at once: there are a thousand times more works than names.
class GraphLaunchNames {
 public:
  explicit GraphLaunchNames(const Interner& strings) : strings_(strings), known_(strings.size(), kNotLookedAt) {}
  bool contains(StringId name) {
    std::uint8_t& known = known_[name];
    if (known == kNotLookedAt) known = is_graph_launch(strings_.text(name)) ? 1 : 0;
    return known == 1;
  }

 private:
  static constexpr std::uint8_t kNotLookedAt = 2;
  const Interner& strings_;
  std::vector<std::uint8_t> known_;
};

struct GraphLaunch {
  trace::EventIndex call = 0;
  std::int64_t device = 0;  ///< of its first work
  std::uint32_t graph = 0;  ///< place in GraphLaunches::graphs
  std::uint32_t first = 0;  ///< its works are GraphLaunches::works[first, first + count)
  std::uint32_t count = 0;
  bool has_node_order = false;  ///< its works are in the order of node numbers, not of their starts
};

/// A graph as its launches show it.
struct LaunchedGraph {
  std::int64_t id = 0;  ///< as the recorder numbers graphs; 0: it does not
  std::uint32_t first_launch = 0;
  std::uint32_t launches = 0;
  std::uint32_t works = 0;  ///< of its first launch
  std::uint32_t streams =
      0;  ///< that these run on; bodies of conditional nodes run where their node stands, in its turn
};

struct GraphLaunches {
  std::vector<GraphLaunch> launches;  ///< by device, then by when the call was entered
  std::vector<LaunchedGraph> graphs;  ///< by first launch
  std::vector<std::uint32_t> works;   ///< of the timeline: launch by launch, in order of node numbers, else of starts
  std::vector<std::uint32_t> launch_of_work;  ///< per work of the timeline; kNoLaunch
  static constexpr std::uint32_t kNoLaunch = ~std::uint32_t{0};

  [[nodiscard]] std::span<const std::uint32_t> works_of(const GraphLaunch& launch) const {
    return std::span(works).subspan(launch.first, launch.count);
  }
};

/// Launches are of one graph if the recorder's numbers say so, else if the same kernels with the same grids (where
/// these were read: formats::TraceOptions::operands), copies and fills run below them: in the same order on one stream,
/// in any order on several, whose starts interleave differently each time. Calls below which nothing ran are left out.
/// O(works log works).
GraphLaunches find_graph_launches(const trace::Trace& trace, const trace::RankTrace& rank,
                                  const causal::DeviceTimeline& timeline);

}  // namespace orrery::analyze

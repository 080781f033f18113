// What bounds a step: the longest path through its graph, by kind and by contributor.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analyze/verdict.h"
#include "graph/longest_path.h"
#include "link/job_graph.h"
#include "link/step_graph.h"

namespace orrery::analyze {

struct KindTotals {
  TimePs on_path = 0;
  std::uint64_t path_edges = 0;
  TimePs total = 0;  ///< of all edges of the kind, on the path or not
  std::uint64_t edges = 0;
};

/// Edges of one kind that belong to events of one name; delays and gaps are one group per kind.
struct Contributor {
  link::EdgeKind kind{};
  StringId name = 0;                   ///< 0: the whole kind
  std::uint32_t rank = link::kNoRank;  ///< in a job: whose they are, a place in JobGraph::ranks; kNoRank: transfers, which are nobody's
  std::uint64_t count = 0;
  std::uint64_t path_count = 0;
  TimePs total = 0;
  TimePs on_path = 0;       ///< the derivative of the step time with respect to scaling the group: 1 % less saves 1 % of this
  TimePs least_slack = 0;   ///< how much later its least patient member could end without delaying the step
  TimePs gain_if_free = 0;  ///< how much shorter the step would be if the group took no time at all

  /// The part of a saving in the group that reaches the step: 1 when all of it is on the path.
  [[nodiscard]] double derivative() const { return total == 0 ? 0.0 : static_cast<double>(on_path) / static_cast<double>(total); }
};

struct StepPath {
  graph::Solution solution;
  graph::Path path;
  std::array<KindTotals, link::kJobEdgeKinds> kinds{};
  std::vector<Contributor> contributors;  ///< the largest on the path first, then by total time
  std::optional<Relief> relief;           ///< with gains: what making free saves that the path is bound by most
  const char* device_type = "GPU";        ///< see DeviceReach

  [[nodiscard]] TimePs length() const { return solution.length(); }
  [[nodiscard]] TimePs on_path(link::EdgeKind kind) const { return kinds[static_cast<std::size_t>(kind)].on_path; }
  /// On the path, by kind.
  [[nodiscard]] KindTimes times() const;
  /// Time on the path whose cause was not recorded.
  [[nodiscard]] TimePs unexplained() const { return on_path(link::EdgeKind::idle_thread) + on_path(link::EdgeKind::idle_device); }
};

/// Which contributor each edge belongs to.
struct GroupedEdges {
  std::vector<Contributor> groups;  ///< kind, name and rank
  Column<std::uint32_t> of_slot;
  Column<std::uint8_t> is_part;  ///< per slot, see link/part_edges.h: not counted again in totals
};

/// The path of `solution`, which solves its graph (with or without edits) for `end`, by these groups. Edge types are EdgeKinds. See take_path.
StepPath sum_path(graph::Solution solution, graph::NodeId end, GroupedEdges edges, std::size_t top, bool with_gains);

/// Takes the path of `solution`, which solves step.graph (with or without edits) for step.end. `top`: how many contributors to return.
/// `with_gains`: measure their gain_if_free and the relief, at the cost of a solve each; needs a solution without edits.
StepPath take_path(const link::StepGraph& step, graph::Solution solution, std::size_t top, bool with_gains);

/// What the path says in one sentence; see verdict.h.
std::string verdict(const StepPath& path);
/// The same of a step or a job, which may have no devices that could be on the path: then it says that instead.
std::string verdict(const link::StepGraph& step, const StepPath& path);
std::string verdict(const link::JobGraph& job, const StepPath& path);

}  // namespace orrery::analyze

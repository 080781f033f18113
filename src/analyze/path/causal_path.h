// What bounds a step: the longest path through its causal graph, by kind and by contributor, whose part it is, and
// where it goes from rank to rank.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyze/path/verdict.h"
#include "causal/causal_graph.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

struct KindTotals {
  TimePs on_path = 0;
  std::uint64_t path_edges = 0;
  TimePs total = 0;  ///< of all edges of the kind, on the path or not
  std::uint64_t edges = 0;
};

/// Edges of one kind that belong to events of one name; delays and gaps are one group per kind.
struct Contributor {
  causal::EdgeKind kind{};
  StringId name = 0;  ///< 0: the whole kind
  std::uint32_t rank =
      causal::kNoRank;  ///< whose they are, a place in CausalGraph::ranks; kNoRank: transfers, which are nobody's
  std::uint64_t count = 0;
  std::uint64_t path_count = 0;
  TimePs total = 0;
  TimePs on_path =
      0;  ///< the derivative of the step time with respect to scaling the group: 1 % less saves 1 % of this
  TimePs least_slack = 0;   ///< how much later its least patient member could end without delaying the step
  TimePs gain_if_free = 0;  ///< how much shorter the step would be if the group took no time at all

  /// The part of a saving in the group that reaches the step: 1 when all of it is on the path.
  [[nodiscard]] double derivative() const {
    return total == 0 ? 0.0 : static_cast<double>(on_path) / static_cast<double>(total);
  }
};

/// What a path adds up to, through any graph whose edge types are EdgeKinds.
struct PathSums {
  graph::Solution solution;
  graph::Path path;
  std::array<KindTotals, causal::kJobEdgeKinds> kinds{};
  std::vector<Contributor> contributors;  ///< the largest on the path first, then by total time
  std::optional<Relief> relief;           ///< with gains: what making free saves that the path is bound by most
  const char* device_type = "GPU";        ///< see DeviceReach

  [[nodiscard]] TimePs length() const { return solution.length(); }
  [[nodiscard]] TimePs on_path(causal::EdgeKind kind) const { return kinds[static_cast<std::size_t>(kind)].on_path; }
  /// On the path, by kind.
  [[nodiscard]] KindTimes times() const;
  /// Time on the path whose cause was not recorded.
  [[nodiscard]] TimePs unexplained() const {
    return on_path(causal::EdgeKind::idle_thread) + on_path(causal::EdgeKind::idle_device);
  }
};

/// Which contributor each edge belongs to.
struct GroupedEdges {
  std::vector<Contributor> groups;  ///< kind, name and rank
  Column<std::uint32_t> of_slot;
  Column<std::uint8_t> is_part;  ///< per slot, see causal/edge_kind.h: not counted again in totals
};

/// The path of `solution`, which solves its graph (with or without edits) for `end`, by these groups. See take_path.
PathSums sum_path(graph::Solution solution, graph::NodeId end, GroupedEdges edges, std::size_t top, bool with_gains);

/// Where the path leads from one rank to another: the one came last to what the other waited in.
struct Hop {
  TimePs at = 0;                   ///< since the job's begin
  std::uint32_t from = 0, to = 0;  ///< places in CausalGraph::ranks
  std::uint32_t operation = 0;     ///< into CausalGraph::operations
};

/// Transfers of one kind within one group, on the path.
struct TransferShare {
  StringId what = 0;
  StringId group = 0;
  TimePs on_path = 0;
};

/// The path never waits: where another rank's arrival binds, it goes there. So the ranks' shares and the transfers' are
/// the whole.
struct CausalPath {
  PathSums sums;                         ///< contributors are pieces of one rank, or transfers
  std::vector<TimePs> ranks;             ///< on the path, without transfers; as CausalGraph::ranks
  std::vector<TransferShare> transfers;  ///< the largest first
  std::vector<Hop> hops;                 ///< the earliest first
  [[nodiscard]] TimePs length() const { return sums.length(); }
};

/// Takes the path of `solution`, which solves job.graph (with or without edits) for job.end. `top`: how many
/// contributors to return. `with_gains`: measure their gain_if_free and the relief, at the cost of a solve each; needs
/// a solution without edits.
CausalPath take_path(const causal::CausalGraph& job, graph::Solution solution, std::size_t top, bool with_gains);

/// What the path says in one sentence; see verdict.h.
std::string verdict(const PathSums& path);
/// The same where there may be no devices that could be on the path: then it says that instead.
std::string verdict(const causal::CausalGraph& job, const PathSums& path);

/// A harder test of the graph than the replay of what was measured: its length when every launch, gap and wait between
/// streams takes the typical time of its kind on its rank instead of its own, and unexplained idleness takes none. The
/// distance to the measured step is what individual delays contribute: how far the graph would be off if it knew only
/// the work itself.
TimePs typical_replay(const causal::CausalGraph& job);

}  // namespace orrery::analyze

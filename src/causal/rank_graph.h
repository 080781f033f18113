// What one rank brings along: the causal graph of one window of it, to be joined with those of others (causal_graph.h)
// or to stand alone, and what is saved.
//
// Nodes are moments: where a host thread goes from one thing to the next, where device work starts and ends, and the
// begin and end of the window. Edges are what passes between them: a stretch of an operator, a kernel, the delay of a
// launch. Every moment has at least one incoming edge that explains it to the picosecond, so that the longest path from
// begin to end is exactly the window: every part of it is on the path or is named idle, with a reason.
//
// Edges that did not bind carry the least delay seen in the window for their kind (a launch takes some microseconds
// even when the stream is busy), so that what-if edits move the path to where it would go.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "causal/device/device_clock.h"
#include "causal/device/device_reach.h"
#include "causal/device/device_timeline.h"
#include "causal/edge_kind.h"
#include "causal/owner_table.h"
#include "causal/reduce/edge_pieces.h"
#include "causal/step_window.h"
#include "graph/graph.h"

namespace orrery::causal {

struct RankGraph {
  StepWindow window;
  graph::Graph graph;               ///< edge type: EdgeKind; edge tag: number of its Owner (kNoTag: none)
  Column<TimePs> time;              ///< per node: the measured moment, since the window's begin
  Column<std::uint32_t> node_lane;  ///< per node: into `lanes`; kNoWork for the begin and end of the window
  graph::NodeId begin = 0;
  graph::NodeId end = 0;
  Column<Owner> owners;
  Column<trace::EventIndex>
      owner_events;  ///< per owner: its event in the trace that the graph was made from; empty if it was restored
  Column<std::uint8_t> row_class;  ///< per owner: about how long its row in the file is (trace::kRowClass), since long
                                   ///< rows take longer to record; 0: not known; empty if it was restored
  Column<StringId> operator_name;  ///< per owner: the operator of work that a graph launched, as a capture of it tells
                                   ///< (trace::Field::operator_text); 0: none; empty: of none it is known
  std::vector<LaneLabel> lanes;
  std::vector<AnnotatedRange> annotations;
  Interner strings;
  std::string source_path;
  std::int64_t rank = 0;
  std::int64_t epoch_us = 0;        ///< what the trace file writes as ts for TimePs 0 of the trace
  TimePs typical_launch_delay = 0;  ///< the least seen (10th percentile) where the launch bound
  TimePs typical_kernel_gap = 0;    ///< the same between queued work
  DeviceReach reach;                ///< whether the devices can be on the path at all
  DeviceClock clock;                ///< of its device work, if counters were recorded
  Column<StringId> class_name;      ///< per owner: see name_pieces; empty: not named yet
  EdgePieces
      pieces;  ///< of a reduced graph (reduce/reduce_rank.h): what its edges of kind `several` stand for, by tags

  [[nodiscard]] EdgeKind kind(graph::Slot slot) const { return static_cast<EdgeKind>(graph.type(slot)); }
  /// Length of the longest path against the window, in percent of the window: what the graph alone gets wrong about the
  /// measured step.
  [[nodiscard]] double residual_percent(TimePs replayed) const;
};

/// Device work of the same launch call (CUDA and HIP graphs), of any number of streams and devices, is all part of the
/// graph.
Result<RankGraph> make_rank_graph(const trace::Trace& trace, const trace::RankTrace& rank, const WindowRequest& request,
                                  Diagnostics& diagnostics);
/// Of a window that was chosen already, with the timeline of the rank.
Result<RankGraph> make_rank_graph(const trace::Trace& trace, const trace::RankTrace& rank,
                                  const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                  const StepWindow& window, Diagnostics& diagnostics);

}  // namespace orrery::causal

// Why the step took as long as it did: the causal graph of one window of one rank.
//
// Nodes are moments: where a host thread goes from one thing to the next, where device work starts and ends, and the begin and end of the
// window. Edges are what passes between them: a stretch of an operator, a kernel, the delay of a launch. Every moment has at least one
// incoming edge that explains it to the picosecond, so that the longest path from begin to end is exactly the window: every part of it is
// on the path or is named idle, with a reason.
//
// Edges that did not bind carry the least delay seen in the window for their kind (a launch takes some microseconds even when the stream is
// busy), so that what-if edits move the path to where it would go.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "graph/graph.h"
#include "link/device_timeline.h"
#include "link/step_window.h"

namespace orrery::link {

enum class EdgeKind : std::uint8_t {
  cpu_operator,  ///< inside a framework operator, outside runtime calls
  cpu_python,    ///< inside a Python frame, outside operators
  cpu_runtime,   ///< inside a runtime call: launching, allocating, copying
  cpu_untraced,  ///< the main thread ran something that was not recorded
  data_loading,  ///< inside a data loader
  kernel,
  communication,  ///< a communication kernel (NCCL, RCCL, HCCL), or a collective that the host does itself (gloo, MPI, UCC)
  memory_copy,
  memory_set,
  launch_delay,  ///< from entering the launch call to the start of the work
  kernel_gap,    ///< between two pieces of work of one stream
  stream_wait,   ///< from the end of work to the start of work of another stream that waited for it
  sync_return,   ///< from the end of device work to the return of the host call that waited for it
  handoff,       ///< from one host thread to another that takes over, and back
  idle_thread,   ///< a helper thread did nothing, cause not recorded
  idle_device,   ///< the stream did nothing although its work was launched, cause not recorded
  order,         ///< one after the other, at no cost
};
inline constexpr std::size_t kEdgeKinds = 17;
const char* to_string(EdgeKind kind);   ///< "kernel gap"
const char* identifier(EdgeKind kind);  ///< "kernel_gap"

inline bool is_host(EdgeKind kind) { return kind <= EdgeKind::data_loading; }
inline bool is_device(EdgeKind kind) { return kind >= EdgeKind::kernel && kind <= EdgeKind::memory_set; }
inline bool is_idle(EdgeKind kind) { return kind == EdgeKind::idle_thread || kind == EdgeKind::idle_device; }

/// What an edge's time belongs to: an event, reduced to what analyses ask about it, so that a saved graph needs no trace beside it.
struct Owner {
  StringId name;
  std::uint32_t ordinal;      ///< position in the file's event list
  std::uint32_t lane;         ///< into StepGraph::lanes
  std::uint32_t launch_lane;  ///< of device work: the lane of its call; else `lane`
  TimePs start;               ///< since the window's begin
  TimePs launch_start;        ///< of device work: when its call was entered; else `start`
  std::int64_t device;        ///< -1 on the host
  std::int64_t stream;
};

/// A lane as the trace file writes it.
struct LaneLabel {
  StringId process;  ///< JSON text of pid: 1306 or "Spans"
  StringId thread;   ///< JSON text of tid
  StringId name;     ///< for people: "thread 1331 (pt_autograd_0)", "stream 7"
};

/// A range named by the user, for edits limited to it.
struct AnnotatedRange {
  StringId name;
  std::uint32_t lane;
  TimePs begin;  ///< since the window's begin
  TimePs end;
};

struct StepGraph {
  StepWindow window;
  graph::Graph graph;               ///< edge type: EdgeKind; edge tag: number of its Owner (kNoTag: none)
  Column<TimePs> time;              ///< per node: the measured moment, since the window's begin
  Column<std::uint32_t> node_lane;  ///< per node: into `lanes`; kNoWork for the begin and end of the window
  graph::NodeId begin = 0;
  graph::NodeId end = 0;
  Column<Owner> owners;
  std::vector<LaneLabel> lanes;
  std::vector<AnnotatedRange> annotations;
  Interner strings;
  std::string source_path;
  std::int64_t rank = 0;
  std::int64_t epoch_us = 0;        ///< what the trace file writes as ts for TimePs 0 of the trace
  TimePs typical_launch_delay = 0;  ///< the least seen (10th percentile) where the launch bound
  TimePs typical_kernel_gap = 0;    ///< the same between queued work

  [[nodiscard]] EdgeKind kind(graph::Slot slot) const { return static_cast<EdgeKind>(graph.type(slot)); }
  /// Length of the longest path against the window, in percent of the window: what the graph alone gets wrong about the measured step.
  [[nodiscard]] double residual_percent(TimePs replayed) const;
};

/// Device work of the same launch call (CUDA and HIP graphs), of any number of streams and devices, is all part of the graph.
Result<StepGraph> make_step_graph(const trace::Trace& trace, const trace::RankTrace& rank, const WindowRequest& request,
                                  Diagnostics& diagnostics);

}  // namespace orrery::link

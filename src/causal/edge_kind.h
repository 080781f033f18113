// What passes between two moments of a step: the kinds of time that a path is made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "causal/device/device_timeline.h"
#include "graph/graph.h"

namespace orrery::causal {

enum class EdgeKind : std::uint8_t {
  cpu_operator,  ///< inside a framework operator, outside runtime calls
  cpu_python,    ///< inside a Python frame, outside operators
  cpu_runtime,   ///< inside a runtime call: launching, allocating, copying
  cpu_untraced,  ///< the main thread ran something that was not recorded
  data_loading,  ///< inside a data loader
  kernel,
  communication,  ///< a communication kernel (NCCL, RCCL, HCCL), or a collective that the host does itself (gloo, MPI,
                  ///< UCC)
  memory_copy,
  memory_set,
  launch_delay,  ///< from the return of the launch call to the start of the work (from its entry: graphs, see
                 ///< Submission)
  kernel_gap,    ///< between two pieces of work of one stream
  stream_wait,   ///< from the end of work to the start of work of another stream that waited for it
  sync_return,   ///< from the end of device work to the return of the host call that waited for it
  handoff,       ///< from one host thread to another that takes over, and back
  idle_thread,   ///< a helper thread did nothing, cause not recorded
  idle_device,   ///< the stream did nothing although its work was launched, cause not recorded
  order,         ///< one after the other, at no cost
  before,        ///< from the begin of the job to that of a rank's window; only in the graph of a job
  arrival,       ///< a rank has come to a communication that others wait in, at no cost; only in the graph of a job
  several,       ///< a chain of the others, with what it is made of beside it; only in reduced graphs
  earlier_work,  ///< a stream was at work that was queued before the recording began
  // Saved graphs hold these numbers: a new kind goes behind the others.
};
inline constexpr std::size_t kEdgeKinds = 17;     ///< the first so many are of a rank's graph; so is earlier_work
inline constexpr std::size_t kJobEdgeKinds = 21;  ///< of a job's graph
/// Whether graphs of one rank have it; the others join ranks, or stand for several.
constexpr bool is_of_rank(std::size_t kind) {
  return kind < kEdgeKinds || kind == static_cast<std::size_t>(EdgeKind::earlier_work);
}
const char* to_string(EdgeKind kind);   ///< "kernel gap"
const char* identifier(EdgeKind kind);  ///< "kernel_gap"

inline bool is_host(EdgeKind kind) { return kind <= EdgeKind::data_loading; }
inline bool is_device(EdgeKind kind) { return kind >= EdgeKind::kernel && kind <= EdgeKind::memory_set; }
/// Whether time of the kind is a property of the event it belongs to. A gap between two kernels has an owner, too, but
/// it is no property of that kernel.
inline bool is_named(EdgeKind kind) { return is_host(kind) || is_device(kind) || kind == EdgeKind::sync_return; }
inline bool is_idle(EdgeKind kind) { return kind == EdgeKind::idle_thread || kind == EdgeKind::idle_device; }

// Edges that are a part of something that has an edge of its own: a call until it handed its work over, a kernel until
// it made room for another or had written what a host looked for, a copy that its call takes part in. Whoever adds up
// what there is, leaves them out; on a path they count.

/// `of`: a RankGraph or CausalGraph. What an event does itself lies on its lane; a part of it leads to another, or
/// comes from one.
template <typename AnyGraph>
bool is_part(const AnyGraph& of, graph::Slot slot) {
  const EdgeKind kind = of.kind(slot);
  const std::uint32_t tag = of.graph.edge_tag(slot);
  if (tag == graph::kNoTag || (kind != EdgeKind::cpu_runtime && !is_device(kind))) return false;
  const std::uint32_t lane = of.owners[tag].lane, from = of.node_lane[of.graph.source(slot)],
                      to = of.node_lane[of.graph.target(slot)];
  return (from != kNoWork && from != lane) || (to != kNoWork && to != lane);
}

}  // namespace orrery::causal

// When a rank that communicates without blocking works on its messages: MPI has no hands of its own.
//
// A message that is too large to be handed over waits until its receiver looks at it. The receiver looks only inside a
// call that waits, tests or blocks: what it computes between MPI_Irecv and MPI_Waitall delays the sender by as much,
// although it had "come". So others may have to wait not for its arrival, but for the begin of the first such call
// after all had come. A receiver that was inside such a call after the message had been sent and before it asked for it
// has seen it already: some transports then take it when it asks, others hand over the rest in the next call.
//
// Whether a library needs that is seen, not known (messages that were handed over, threads that work on them, devices
// that fetch them): of each class of operations (kind, group, size, and side of a message: its sender, a receiver that
// had seen it, one that had not) those are asked in which somebody was inside the call that completes its part, all had
// come, and one was still computing for more than four times the shortest transfer. If at least nine in ten did not end
// before that one was back inside MPI, the class needs it. A wrong guess either way moves time between a transfer and a
// wait: at most what was computed between the two calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "causal/causal_graph.h"
#include "causal/join/needs.h"
#include "causal/rank_graph.h"
#include "graph/graph.h"
#include "trace/trace.h"

namespace orrery::causal {

/// The calls of a rank in which MPI works on whatever is under way.
class ProgressCalls {
 public:
  /// Times and nodes become those of the job: `shift` and `first_node` are added.
  ProgressCalls(const trace::Trace& trace, const trace::RankTrace& rank, const RankGraph& step, TimePs shift,
                graph::NodeId first_node);

  struct Call {
    TimePs begin = 0, end = 0;
    graph::NodeId node = graph::kNoNode;  ///< its begin
  };
  /// The first that begins after the moment, if the rank is inside none at it. O(log calls).
  [[nodiscard]] std::optional<Call> next_after(TimePs moment) const;
  /// Whether it was inside one between two moments. O(log calls).
  [[nodiscard]] bool was_inside(TimePs from, TimePs to) const;

 private:
  [[nodiscard]] std::vector<Call>::const_iterator first_ending_after(TimePs moment) const;

  std::vector<Call> calls_;  // by end
};

/// What a participation may make others wait for, by place in CausalGraph::parts.
struct PartProgress {
  TimePs entered = 0;                   ///< the call at whose end the participation ends
  TimePs moment = 0;                    ///< of `node`
  graph::NodeId node = graph::kNoNode;  ///< where its rank was back inside MPI; kNoNode: when all had come
  bool had_seen = false;  ///< a receiver that was inside MPI after the message was sent and before it asked for it
};

/// Sets JobPart::progress and PartMoments::computes_on of participations whose class needs it. O(parts log classes).
void find_progress(std::span<const JobOperation> operations, std::span<const PartProgress> progress,
                   std::span<JobPart> parts, std::span<PartMoments> moments);

}  // namespace orrery::causal

// The run as it is without a profiler: what recording an event costs the thread that is recorded, taken off every
// recorded event.
//
// A profiler makes steps that wait for the host 30 to 50 % longer, and steps that wait for the device hardly: the graph
// knows which is which, so one number, the cost per recorded event of the host, tells what the step takes without it.
#pragma once

#include <cstdint>
#include <vector>

#include "causal/causal_graph.h"
#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::analyze {

/// What is plausible: no recorder known takes longer for an event.
inline constexpr TimePs kMostPerEvent = 20 * kPsPerUs;

/// Which edges recording made longer, and by how many events. A recorder is called before an event begins and after it
/// has ended, so that its time lies in the event itself or beside it on its thread, never across a wait.
class RecordedEvents {
 public:
  explicit RecordedEvents(const causal::CausalGraph& job);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// How much shorter an edge is if every event costs `per_event` less; never more than it weighs in `graph`, the one
  /// that this was made from.
  struct Saving {
    graph::Slot slot;
    TimePs time;
  };
  [[nodiscard]] std::vector<Saving> savings(const graph::Graph& graph, TimePs per_event) const;

 private:
  struct Stretch {
    graph::Slot slot;
    std::uint32_t events;  ///< that begin with it
    bool follows;          ///< it begins where the stretch before it on its thread ended
  };
  std::vector<Stretch> stretches_;  // thread by thread, in order
  std::size_t count_ = 0;
};

/// What one event costs, so that the graph takes `unprofiled`; found by solving again, to the nanosecond.
struct ProfilerCost {
  TimePs per_event = 0;
  TimePs length = 0;     ///< what the graph then takes
  bool explains = true;  ///< false: it would have to cost less than nothing, or more than kMostPerEvent
};
ProfilerCost find_profiler_cost(const graph::Graph& graph, graph::NodeId end, const RecordedEvents& events,
                                TimePs unprofiled);

/// What PyTorch's profiler typically takes per event: what explains four steps whose time without it was measured
/// (PyTorch 2.11 beside an H200) is 1.9, 2.2, 4.1 and 4.1 us.
inline constexpr TimePs kTypicalPerEvent = 2'900'000;

/// The same graph with every event costing that much less: weights, moments and span are those of the run without a
/// profiler.
causal::CausalGraph without_profiler(causal::CausalGraph job, TimePs per_event);

}  // namespace orrery::analyze

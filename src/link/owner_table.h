// Reduces the events that edges belong to, their lanes and annotations, to a table that stands without the trace.
#pragma once

#include "link/device_timeline.h"
#include "link/step_graph.h"

namespace orrery::link {

class OwnerTable {
 public:
  /// Fills owners, lanes, annotations and strings of `step`.
  OwnerTable(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline, const StepWindow& window,
             StepGraph& step);

  /// Numbers owners in the order they are asked for.
  std::uint32_t owner_of(trace::EventIndex event);
  void add_lanes_and_annotations();

 private:
  StringId text(StringId id) { return step_.strings.intern(trace_.strings.text(id)); }
  StringId json(trace::LaneKey key) { return step_.strings.intern(trace::to_json(trace_.strings, key)); }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  const StepWindow& window_;
  StepGraph& step_;
  Column<std::uint32_t> owner_of_event_;
  Column<std::uint32_t> work_of_event_;
};

}  // namespace orrery::link

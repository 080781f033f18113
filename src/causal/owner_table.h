// Reduces the events that edges belong to, their lanes and annotations, to a table that stands without the trace.
#pragma once

#include <vector>

#include "base/column.h"
#include "causal/device/device_timeline.h"
#include "causal/owner.h"
#include "causal/step_window.h"
#include "trace/content_order.h"

namespace orrery::causal {

class OwnerTable {
 public:
  OwnerTable(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
             const StepWindow& window);

  /// Numbers owners in the order they are asked for.
  std::uint32_t owner_of(trace::EventIndex event);
  /// Lanes keep their numbers of the trace; annotations come by start.
  void add_lanes_and_annotations(const trace::ContentOrder& order);

  // What was gathered, for the RankGraph to take.
  Column<Owner> owners;
  Column<trace::EventIndex> events;  ///< per owner
  std::vector<LaneLabel> lanes;
  std::vector<AnnotatedRange> annotations;
  Interner strings;

 private:
  StringId text(StringId id) { return strings.intern(trace_.strings.text(id)); }
  StringId json(trace::LaneKey key) { return strings.intern(trace::to_json(trace_.strings, key)); }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  const StepWindow& window_;
  Column<std::uint32_t> owner_of_event_;
  Column<std::uint32_t> work_of_event_;
};

}  // namespace orrery::causal

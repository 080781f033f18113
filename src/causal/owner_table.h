// Reduces the events that edges belong to, their lanes and annotations, to a table that stands without the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/units.h"
#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/content_order.h"

namespace orrery::causal {

// What edges of a step's graph belong to, reduced to what stands without the trace.

/// What an edge's time belongs to: an event, reduced to what analyses ask about it, so that a saved graph needs no
/// trace beside it.
struct Owner {
  StringId name;
  std::uint32_t ordinal;      ///< position in the file's event list
  std::uint32_t lane;         ///< into RankGraph::lanes
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
  Column<std::uint8_t> row_class;    ///< per owner: see RankGraph
  Column<StringId> operator_name;    ///< per owner: see RankGraph
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
  const trace::SparseColumn& joined_;  // Field::operator_text of the rank
  Column<std::uint32_t> owner_of_event_;
  Column<std::uint32_t> work_of_event_;
};

}  // namespace orrery::causal

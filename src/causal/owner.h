// What edges of a step's graph belong to, reduced to what stands without the trace.
#pragma once

#include <cstdint>

#include "base/interner.h"
#include "base/units.h"

namespace orrery::causal {

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

}  // namespace orrery::causal

// Host threads as chains of segments: at every moment, the innermost thing that was running.
#pragma once

#include <vector>

#include "link/edge_kind.h"
#include "link/host_communication.h"
#include "link/step_window.h"

namespace orrery::link {

/// [begin, end) of one lane, in which `top` was the innermost event; kNoEvent where nothing was recorded.
struct Segment {
  TimePs begin;
  TimePs end;
  trace::EventIndex top;
  bool loads_data;  ///< inside a data loader's range
};

struct HostLane {
  trace::LaneIndex lane;
  bool is_main;
  std::vector<Segment> segments;   ///< without gaps or overlaps, each longer than zero
  std::vector<TimePs> busy_until;  ///< per segment: time recorded in this and all earlier segments, for sums over ranges

  [[nodiscard]] TimePs begin() const { return segments.front().begin; }
  [[nodiscard]] TimePs end() const { return segments.back().end; }
  /// Number of the boundary between segments at `time`: boundary i is the start of segment i, the last one the end of the lane.
  /// Every event starts and ends at a boundary. kNoWork if there is none at that time.
  [[nodiscard]] std::uint32_t boundary_at(TimePs time) const;
  /// Number of the last boundary at or before `time`, which must not lie before begin().
  [[nodiscard]] std::uint32_t last_boundary_until(TimePs time) const;
  [[nodiscard]] TimePs boundary_time(std::uint32_t boundary) const {
    return boundary < segments.size() ? segments[boundary].begin : segments.back().end;
  }
  /// Recorded time between two boundaries.
  [[nodiscard]] TimePs busy_between(std::uint32_t first, std::uint32_t last) const;
};

/// The worker lanes of the window, clipped to it: the main lane first, the others in the order of their content. The lane of an annotation covers all of it; others run from their first to
/// their last event. Lanes without events in the window are left out.
/// Events that overlap without nesting are cut where the inner one ends.
std::vector<HostLane> make_host_lanes(const trace::Trace& trace, const trace::RankTrace& rank, const StepWindow& window,
                                      const trace::ContentOrder& content);

/// What kind of time a segment of a lane is.
EdgeKind kind_of_segment(const trace::RankTrace& rank, const HostCommunication& communication, const Segment& segment, bool is_main);

}  // namespace orrery::link

// Host threads as chains of segments: at every moment, the innermost thing that was running.
#pragma once

#include <vector>

#include "base/column.h"
#include "causal/edge_kind.h"
#include "causal/host/host_communication.h"
#include "causal/step_window.h"

namespace orrery::causal {

/// [begin, end) of one lane, in which `top` was the innermost event; kNoEvent where nothing was recorded.
struct Segment {
  TimePs begin;
  TimePs end;
  trace::EventIndex top;
  bool loads_data;  ///< inside a data loader's range
};

/// Segments lie without gaps or overlaps, each longer than zero. Boundary i is the start of segment i, the last one the
/// end of the lane; every event starts and ends at a boundary (a Python frame that was cut, where it was cut). 12 bytes
/// per segment: there are twice as many as events.
class HostLane {
 public:
  HostLane(trace::LaneIndex lane_of_trace, bool is_main_lane) : lane(lane_of_trace), is_main(is_main_lane) {}

  trace::LaneIndex lane;
  bool is_main;

  [[nodiscard]] std::uint32_t segment_count() const { return static_cast<std::uint32_t>(tops_.size()); }
  [[nodiscard]] Segment segment(std::uint32_t number) const {
    return {times_[number], times_[number + 1], tops_[number], !loads_data_.empty() && loads_data_[number] != 0};
  }
  /// The innermost event of a segment.
  [[nodiscard]] trace::EventIndex top(std::uint32_t number) const { return tops_[number]; }

  [[nodiscard]] TimePs begin() const { return times_[0]; }
  [[nodiscard]] TimePs end() const { return times_.back(); }
  [[nodiscard]] TimePs boundary_time(std::uint32_t boundary) const { return times_[boundary]; }
  /// Number of the boundary at `time`; kNoWork if there is none.
  [[nodiscard]] std::uint32_t boundary_at(TimePs time) const;
  /// Number of the first boundary at or after `time`, which must not lie after end().
  [[nodiscard]] std::uint32_t first_boundary_from(TimePs time) const;
  /// Number of the last boundary at or before `time`, which must not lie before begin().
  [[nodiscard]] std::uint32_t last_boundary_until(TimePs time) const;
  /// Recorded time between two boundaries. O(1): at most two blocks are added up.
  [[nodiscard]] TimePs busy_between(std::uint32_t first, std::uint32_t last) const;

  /// For the maker: the next segment begins where the last one ended, the first one at `begin`.
  void begin_at(TimePs begin, std::size_t most_segments);
  void append(TimePs end, trace::EventIndex top, bool loads_data);
  void finish();

 private:
  [[nodiscard]] TimePs busy_until(std::uint32_t boundary) const;

  Column<TimePs> times_;              // boundaries, one more than segments
  Column<trace::EventIndex> tops_;    // per segment
  Column<std::uint8_t> loads_data_;   // per segment; empty: none does
  Column<TimePs> busy_before_block_;  // recorded time before each block of segments
};

/// The worker lanes of the window, clipped to it: the main lane first, the others in the order of their content. The
/// lane of an annotation covers all of it; others run from their first to their last event. Lanes without events in the
/// window are left out. Events that overlap without nesting are cut where the inner one ends; a Python frame that
/// outlasts the frame in which it began, where that ends. A helper thread that stays for 20 us or more in a frame that
/// waits for something to do (is_waiting_frame), or that XLA's recorder did not see begin and lets begin with the
/// recording, does nothing.
std::vector<HostLane> make_host_lanes(const trace::Trace& trace, const trace::RankTrace& rank, const StepWindow& window,
                                      const trace::ContentOrder& content);

/// Whether a Python frame of that name waits for another thread: for a lock, a queue, a file ("<built-in method acquire
/// of _thread.lock object at 0x7f..>",
/// "$<unknown> acquire" in an XSpace).
bool is_waiting_frame(std::string_view name);

/// Whether an event of that name is XLA's runtime moving memory of the host to where the device fetches it from, or
/// back ("H2D Dispatch", "Transpose::ExecuteChunk"): a part of the copy, like the buffers that a copy of ordinary
/// memory passes through.
bool is_part_of_copy(std::string_view name);

/// What kind of time a segment of a lane is.
EdgeKind kind_of_segment(const trace::Trace& trace, const trace::RankTrace& rank,
                         const HostCommunication& communication, const Segment& segment, bool is_main);

// Stretches of work of a host thread, as others see them: begun, done, and a pause that is long enough to tell.

/// Longer pauses of a thread mean that it had finished; shorter ones are its own time.
inline constexpr TimePs kLongestPause = 100 * kPsPerUs;

/// A stretch of work of one lane: boundaries [first, last], with pauses up to kLongestPause.
struct Burst {
  std::uint32_t first;
  std::uint32_t last;
  TimePs begin;
  TimePs end;
  bool was_asked;  ///< it begins with a collective whose call is known
};

/// `asked`: boundaries of the lane, ascending, at which such collectives begin. Each begins a burst of its own.
inline std::vector<Burst> find_bursts(const HostLane& lane, const std::vector<std::uint32_t>& asked) {
  std::vector<Burst> bursts;
  auto next_asked = asked.begin();
  for (std::uint32_t s = 0; s < lane.segment_count(); ++s) {
    const Segment segment = lane.segment(s);
    while (next_asked != asked.end() && *next_asked < s) ++next_asked;
    if (segment.top == kNoEvent) continue;
    const bool is_asked = next_asked != asked.end() && *next_asked == s;
    if (is_asked || bursts.empty() || segment.begin - bursts.back().end > kLongestPause)
      bursts.push_back({s, s + 1, segment.begin, segment.end, is_asked});
    else bursts.back().last = s + 1, bursts.back().end = segment.end;
  }
  return bursts;
}

}  // namespace orrery::causal

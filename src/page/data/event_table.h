// The events of a job as the page numbers them: by rank, lane, start, the longer first, ordinal. Which events are in,
// on which lanes they are drawn, and what their ids are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::page {

// Which events a page leaves out because there are too many.

struct EventLimits {
  std::uint64_t most_events = ~std::uint64_t{0};
  /// Per rank and event: not to be left out, as what is on the path; empty: none is.
  std::vector<Column<std::uint8_t>> must_stay = {};
};

/// Per rank and event 1 if it is in the page; empty if all are. Of those that may go the shortest go first, among
/// equals those of the lowest rank that come first in the file.
std::vector<Column<std::uint8_t>> chosen_events(const trace::Trace& trace, const EventLimits& limits);

/// What a lane is to a reader, in the order of drawing.
enum class LaneSort : std::uint8_t {
  thread,  ///< of the host, the one with the most work first
  stream,  ///< of a device, by number
  other,   ///< what the profiler notes about itself
};
const char* to_string(LaneSort sort);

struct PageLane {
  std::uint32_t rank = 0;     ///< place in Trace::ranks
  trace::LaneIndex lane = 0;  ///< of that rank
  std::string name;
  LaneSort sort = LaneSort::other;
  std::int64_t device = -1, stream = -1;  ///< of a stream
  std::uint32_t count = 0;                ///< events in the page
  TimePs work = 0;                        ///< time in which anything but annotations ran
  bool is_little = false;                 ///< a stream that may share a row with others of its rank
};

struct RankEvents {
  Column<std::uint8_t> kind;        ///< per event of the trace; see page/data/event_kinds.h
  Column<trace::EventIndex> order;  ///< events of the page in their order
  Column<std::uint32_t> place;      ///< per event of the trace: where it is in `order`; kLeftOut
  std::uint32_t first_id = 0;       ///< id of order[0]
  std::uint64_t left_out = 0;
  std::size_t first_lane = 0, end_lane = 0;  ///< in EventTable::lanes
};

class EventTable {
 public:
  static constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};

  /// Of the events beyond the limit the shortest are left out, among equals those of the lowest rank that come first in
  /// the file. Ranks are gone through at the same time.
  EventTable(const trace::Trace& trace, const EventLimits& limits);

  [[nodiscard]] const std::vector<RankEvents>& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<PageLane>& lanes() const { return lanes_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t left_out() const;
  /// `rank`: place in Trace::ranks. None: the event is left out.
  [[nodiscard]] std::optional<std::uint32_t> id(std::size_t rank, trace::EventIndex event) const;
  /// Number of a lane in lanes(); none: it has no events.
  [[nodiscard]] std::optional<std::uint32_t> lane_number(std::size_t rank, trace::LaneIndex lane) const;

  /// The earliest start of all events, left out or not: 0 in the page. And their latest end.
  [[nodiscard]] TimePs origin() const { return origin_; }
  [[nodiscard]] TimePs end() const { return end_; }
  /// 1000 if all times are whole nanoseconds from the origin, else 1.
  [[nodiscard]] TimePs unit_ps() const { return unit_ps_; }

 private:
  std::vector<RankEvents> ranks_;
  std::vector<PageLane> lanes_;
  std::vector<std::vector<std::uint32_t>> lane_numbers_;  // per rank and lane
  std::uint64_t events_ = 0;
  TimePs origin_ = 0, end_ = 0, unit_ps_ = 1;
};

/// The event with this ordinal; none if the rank has no such one. O(log events).
std::optional<trace::EventIndex> event_with_ordinal(const trace::RankTrace& rank, std::uint32_t ordinal);

}  // namespace orrery::page

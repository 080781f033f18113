// What a rewritten file says about its rewriting: the plane "/clock_alignment", at the end of the file.
// docs/formats/xspace.md has the layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/xspace/outline.h"
#include "trace/clock.h"

namespace orrery::xspace {

/// Times of a line and of an event, with whether the file has the member at all: a member that is absent is to be
/// absent again.
struct LineTimes {
  std::int64_t timestamp_ns = 0;
  std::int64_t duration_ps = 0;
  bool has_timestamp = false;
  bool has_duration = false;

  friend bool operator==(const LineTimes&, const LineTimes&) = default;
};
struct EventTimes {
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool has_offset = false;
  bool has_duration = false;

  friend bool operator==(const EventTimes&, const EventTimes&) = default;
};

struct AlignmentRecord {
  static constexpr std::uint32_t kNoClock = ~std::uint32_t{0};

  struct Line {
    std::uint32_t clock = kNoClock;  ///< index into `clocks`; kNoClock: the offsets of its events were left as they are
    LineTimes original;

    friend bool operator==(const Line&, const Line&) = default;
  };
  /// An event whose times do not follow from the clock.
  struct Remembered {
    std::uint32_t line = 0;
    std::uint64_t event = 0;  ///< place among the events with a time of the line
    EventTimes original;

    friend bool operator==(const Remembered&, const Remembered&) = default;
  };

  std::int64_t base_unix_ns = 0;              ///< what the times of the original's lines count from
  std::int64_t epoch_unix_ns = 0;             ///< what the clocks' times count from
  std::int64_t origin_unix_ns = 0;            ///< what the times of the rewritten file's lines count from
  std::optional<std::int64_t> start_unix_ns;  ///< original profile_start_time
  std::optional<std::int64_t> stop_unix_ns;
  std::uint64_t original_bytes = 0;
  std::uint64_t original_xxh3 = 0;
  std::vector<trace::Clock> clocks;
  std::vector<Line> lines;             ///< of the whole file, in order
  std::vector<Remembered> remembered;  ///< ordered by line and event
  std::string note;
};

/// The plane as a field of an XSpace, to be appended to it.
std::string encode(const AlignmentRecord& record);

/// `plane` must be one called kAlignmentPlane. Numbers are checked: a decoded record is safe to use whatever the bytes
/// were.
Result<AlignmentRecord> decode(const Contents& contents, const PlaneOutline& plane);

}  // namespace orrery::xspace

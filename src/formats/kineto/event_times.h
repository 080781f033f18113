// The times of one event put on another clock, and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/json/json_scan.h"
#include "base/time_text.h"
#include "base/units.h"
#include "formats/kineto/alignment_member.h"
#include "formats/kineto/event_record.h"
#include "trace/clock.h"

namespace orrery::kineto {

// A Kineto file's times and those of a clock.

/// How a file's ts and dur relate to the picoseconds of a clock, whose zero is another moment.
class TimeFrame {
 public:
  /// Unix times: what the file's ts count from, and what the clock's readings count from.
  TimeFrame(std::int64_t base_unix_ns, std::int64_t epoch_unix_ns);

  /// False if it does not fit TimePs. Digits below a picosecond are dropped, toward zero, as the reader does.
  bool moment_of(const Decimal& ts, TimePs& out) const;
  static bool duration_of(const Decimal& dur, TimePs& out);

  [[nodiscard]] TimeText ts_of(TimePs moment, int decimals) const;
  static TimeText dur_of(TimePs duration, int decimals);

 private:
  std::int64_t epoch_us_;  // the clock's zero as a ts, rounded down
  std::int64_t epoch_ps_;  // and what is left, below a microsecond
};

/// When an event was, as the file spells it and in picoseconds on its clock.
struct EventTimes {
  SpelledTimes text;
  TimePs start = 0;
  TimePs duration = 0;
  bool is_usable = false;  ///< start and end lie within twice kMaxMomentPs; false: the two above are not set
};

/// Of an event that has a ts.
EventTimes times_of(const EventRecord& record, const TimeFrame& frame);

/// Finds the spelling that an event had before its alignment: by the clock, and by how the file's numbers were written
/// so far.
class TimeRestorer {
 public:
  /// Both must outlive this; the knots are those of a clock that fits (ClockCursor::fits).
  TimeRestorer(const TimeFrame& frame, const trace::Clock& clock) : frame_(frame), cursor_(clock.knots()) {}

  /// What the clock gives back. Times it leaves as they are keep their spelling. Views into `aligned` or this object,
  /// good until the next call.
  SpelledTimes restore(const EventTimes& aligned);
  /// The spelling was another one than restore() said: numbers that follow are expected to look like these.
  void learn(const SpelledTimes& original);

 private:
  enum class Kind : std::uint8_t {
    start,
    duration,
    no_duration
  };  // writers may spell a duration of zero in another way
  static Kind kind_of(TimePs duration) { return duration == 0 ? Kind::no_duration : Kind::duration; }
  void learn(Kind kind, std::string_view original);
  int& decimals(Kind kind) { return decimals_[static_cast<std::size_t>(kind)]; }

  const TimeFrame& frame_;
  trace::ClockCursor cursor_;
  std::array<int, 3> decimals_ = {3, 3, 3};  // by kind: what today's profilers write
  Kind last_kind_ = Kind::duration;
  std::optional<TimeText> start_;
  std::optional<TimeText> duration_;
};

/// Gives events their new times, and remembers the old ones where a TimeRestorer would not find them.
class EventRetimer {
 public:
  /// As for TimeRestorer.
  EventRetimer(const TimeFrame& frame, const trace::Clock& clock)
      : frame_(frame), cursor_(clock.knots()), restorer_(frame, clock) {}

  struct Outcome {
    SpelledTimes text;  ///< views into the record's window or this object, good until the next call
    bool is_moved = false;
    bool is_usable = true;  ///< false: its times are no numbers or too far away, and stay as they are
  };
  /// Start and end are mapped, each by itself; what has no duration has none later. `event`: its place in the file.
  Outcome retime(const EventRecord& record, std::uint64_t event);

  [[nodiscard]] const RememberedTimes& remembered() const { return remembered_; }
  RememberedTimes take_remembered() { return std::move(remembered_); }

 private:
  bool map(EventTimes& times);

  const TimeFrame& frame_;
  trace::ClockCursor cursor_;
  TimeRestorer restorer_;
  RememberedTimes remembered_;
  std::optional<TimeText> start_;
  std::optional<TimeText> duration_;
};

}  // namespace orrery::kineto

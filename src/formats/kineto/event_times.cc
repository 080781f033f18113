#include "formats/kineto/event_times.h"

#include "base/int128.h"
#include "formats/kineto/limits.h"
#include "trace/trace.h"

namespace orrery::kineto {
namespace {

// Decimals are read in units of 10^-12 of a microsecond.
constexpr std::int64_t kFractionUnitsPerPs = 1'000'000;

/// floor(value / unit), and what is left.
struct Division {
  std::int64_t whole;
  std::int64_t rest;
};
// Rounded down for negative times, too, so that the rest is never negative.
Division divide(std::int64_t value, std::int64_t unit) {
  const std::int64_t whole = value / unit - (value % unit < 0 ? 1 : 0);
  return {whole, value - whole * unit};
}

bool is_within_reach(std::int64_t us) { return us <= kMaxUs && us >= -kMaxUs; }

}  // namespace

TimeFrame::TimeFrame(std::int64_t base_unix_ns, std::int64_t epoch_unix_ns) {
  const Int128 epoch_ns = Int128{epoch_unix_ns} - base_unix_ns;
  const Int128 whole = epoch_ns / 1000 - (epoch_ns % 1000 < 0 ? 1 : 0);
  epoch_us_ = static_cast<std::int64_t>(whole);
  epoch_ps_ = static_cast<std::int64_t>(epoch_ns - whole * 1000) * kPsPerNs;
}

bool TimeFrame::moment_of(const Decimal& ts, TimePs& out) const {
  if (!ts.in_range || !is_within_reach(ts.whole - epoch_us_)) return false;
  out = (ts.whole - epoch_us_) * kPsPerUs + ts.fraction_e12 / kFractionUnitsPerPs - epoch_ps_;
  return true;
}

bool TimeFrame::duration_of(const Decimal& dur, TimePs& out) {
  if (!dur.in_range || !is_within_reach(dur.whole)) return false;
  out = dur.whole * kPsPerUs + dur.fraction_e12 / kFractionUnitsPerPs;
  return true;
}

TimeText TimeFrame::ts_of(TimePs moment, int decimals) const {
  const Division us = divide(moment, kPsPerUs);
  const Division more = divide(us.rest + epoch_ps_, kPsPerUs);
  return {us.whole + more.whole + epoch_us_, more.rest, decimals};
}

TimeText TimeFrame::dur_of(TimePs duration, int decimals) {
  const Division us = divide(duration, kPsPerUs);
  return {us.whole, us.rest, decimals};
}

namespace {

using trace::kMaxMomentPs;

bool lies_within(TimePs limit, TimePs time) { return time <= limit && time >= -limit; }

/// Start and end both, where limit <= 2 * kMaxMomentPs: then no sum or difference of the three overflows.
bool lie_within(TimePs limit, TimePs start, TimePs duration) {
  if (!lies_within(limit, start)) return false;
  return duration > 0 ? duration <= limit - start : duration >= -limit - start;
}

}  // namespace

EventTimes times_of(const EventRecord& record, const TimeFrame& frame) {
  EventTimes times;
  times.text.ts = record.time_text;
  if (record.has_duration) times.text.dur = record.duration_text;
  times.is_usable = frame.moment_of(record.time, times.start) &&
                    (!record.has_duration || TimeFrame::duration_of(record.duration, times.duration)) &&
                    // Twice the range: aligning moves times, and what comes back must still be readable.
                    lie_within(2 * kMaxMomentPs, times.start, times.duration);
  return times;
}

SpelledTimes TimeRestorer::restore(const EventTimes& aligned) {
  last_kind_ = kind_of(aligned.is_usable ? aligned.duration : 1);
  SpelledTimes text = aligned.text;
  if (!aligned.is_usable) return text;
  const TimePs start = cursor_.first_preimage(aligned.start);
  if (start != aligned.start) text.ts = start_.emplace(frame_.ts_of(start, decimals(Kind::start))).view();
  if (aligned.duration == 0) return text;
  const TimePs duration = cursor_.first_preimage(aligned.start + aligned.duration) - start;
  last_kind_ = kind_of(duration);
  if (duration != aligned.duration)
    text.dur = duration_.emplace(TimeFrame::dur_of(duration, decimals(last_kind_))).view();
  return text;
}

void TimeRestorer::learn(const SpelledTimes& original) {
  learn(Kind::start, original.ts);
  if (!original.dur.empty()) learn(last_kind_, original.dur);
}

// Fewer digits than expected, or zeros at the end that would not have been printed.
void TimeRestorer::learn(Kind kind, std::string_view original) {
  const int written = count_decimals(original);
  if (written < decimals(kind) || (written <= kMostDecimals && original.ends_with('0'))) decimals(kind) = written;
}

bool EventRetimer::map(EventTimes& times) {
  if (!times.is_usable || !lie_within(kMaxMomentPs, times.start, times.duration)) return false;
  const TimePs start = cursor_.map(times.start).time;
  const TimePs duration = times.duration == 0 ? 0 : cursor_.map(times.start + times.duration).time - start;
  if (!lies_within(2 * kMaxMomentPs, duration)) return false;
  if (start != times.start) times.text.ts = start_.emplace(frame_.ts_of(start, count_decimals(times.text.ts))).view();
  if (duration != times.duration)
    times.text.dur = duration_.emplace(TimeFrame::dur_of(duration, count_decimals(times.text.dur))).view();
  times.start = start;
  times.duration = duration;
  return true;
}

EventRetimer::Outcome EventRetimer::retime(const EventRecord& record, std::uint64_t event) {
  const EventTimes original = times_of(record, frame_);
  EventTimes times = original;
  const bool is_usable = map(times);
  const bool is_moved = times.start != original.start || times.duration != original.duration;
  // Remembered is only what undoing would not give back by itself, so that the record stays small.
  if (restorer_.restore(times) != original.text) {
    remembered_.add(event, original.text);
    restorer_.learn(original.text);
  }
  return {times.text, is_moved, is_usable};
}

}  // namespace orrery::kineto

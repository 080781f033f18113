#include "formats/xspace/rewriter.h"

#include <limits>
#include <optional>

#include "base/int128.h"
#include "base/io/output_file.h"
#include "formats/xspace/alignment_record.h"
#include "formats/xspace/outline.h"
#include "formats/xspace/retimed_copy.h"
#include "formats/xspace/schema.h"
#include "trace/clock.h"
#include "trace/trace.h"

// Forward maps every line and event by the clock of its lane. What the inverse of the clock would not give back to the
// bit (two times that fall together, an offset of 0 that was not written) is remembered in a plane at the end of the
// file. Backward inverts the clock, takes what was remembered, and a hash says whether the original came out.

namespace orrery::xspace {
namespace {

// Clocks may move a moment by as much as it may be away: images lie within twice the range.
bool is_image(Int128 time) { return time <= 2 * trace::kMaxMomentPs && time >= -2 * trace::kMaxMomentPs; }
bool fits_64_bits(Int128 value) {
  return value <= std::numeric_limits<std::int64_t>::max() && value >= std::numeric_limits<std::int64_t>::min();
}

Int128 ps_between(std::int64_t from_unix_ns, std::int64_t to_unix_ns) {
  return (Int128{to_unix_ns} - from_unix_ns) * kPsPerNs;
}

Int128 floor_to_ns(Int128 ps) { return ps / kPsPerNs - (ps % kPsPerNs < 0 ? 1 : 0); }

/// Old times to new ones, keeping a record of how.
class Forward final : public TimeChange {
 public:
  Forward(const Retiming& retiming, AlignmentRecord& record) : retiming_(retiming), record_(record) {}

  std::int64_t start(std::int64_t unix_ns) override {
    record_.start_unix_ns = unix_ns;
    return retiming_.origin_unix_ns + retiming_.era_ns;
  }

  std::int64_t stop(std::int64_t unix_ns) override {
    record_.stop_unix_ns = unix_ns;
    const Int128 time = ps_between(retiming_.epoch_unix_ns, unix_ns);
    if (retiming_.host_clock == nullptr || !trace::is_moment(time)) return unix_ns;
    const Int128 moved =
        floor_to_ns(retiming_.host_clock->map(static_cast<TimePs>(time))) + retiming_.epoch_unix_ns + retiming_.era_ns;
    return fits_64_bits(moved) ? static_cast<std::int64_t>(moved) : unix_ns;
  }

  bool begin_line(LineTimes& times) override {
    const std::size_t lane = record_.lines.size();
    record_.lines.push_back({AlignmentRecord::kNoClock, times});
    ++summary.lines;
    event_ = 0;
    anchor_ = ps_between(retiming_.epoch_unix_ns, record_.base_unix_ns) + Int128{times.timestamp_ns} * kPsPerNs;
    const trace::Clock* clock = lane < retiming_.clock_of_lane.size() ? retiming_.clock_of_lane[lane] : nullptr;
    if (clock == nullptr || !trace::is_moment(anchor_)) {
      // Lines without a clock keep their times, told from the new origin.
      set_timestamp(times, Int128{times.timestamp_ns} + record_.base_unix_ns - retiming_.origin_unix_ns);
      return false;
    }
    record_.lines.back().clock = number_of(clock);
    cursor_.emplace(clock->knots());
    const Int128 origin = ps_between(retiming_.epoch_unix_ns, retiming_.origin_unix_ns);
    set_timestamp(times, floor_to_ns(cursor_->map(static_cast<TimePs>(anchor_)).time - origin));
    zero_ = origin + Int128{times.timestamp_ns} * kPsPerNs;
    if (times.duration_ps != 0 && trace::is_moment(anchor_ + times.duration_ps))
      times.duration_ps =
          static_cast<std::int64_t>(cursor_->map(static_cast<TimePs>(anchor_ + times.duration_ps)).time - zero_);
    return true;
  }

  void change(EventTimes& times) override {
    const std::uint64_t event = event_++;
    const EventTimes original = times;
    const bool restorable = map_event(times);
    ++summary.events;
    if (restorable) return;
    ++summary.remembered;
    record_.remembered.push_back({static_cast<std::uint32_t>(record_.lines.size() - 1), event, original});
  }

  void pass_untimed() override { ++summary.untimed_events; }

  RewriteSummary summary;

 private:
  // False if undoing would not find the old times by the clock alone.
  bool map_event(EventTimes& times) {
    const Int128 start = anchor_ + times.offset_ps;
    const Int128 end = start + times.duration_ps;
    if (!trace::is_moment(start) || !trace::is_moment(end)) return false;
    const trace::ClockCursor::Image first = cursor_->map(static_cast<TimePs>(start));
    // An event without a length has one moment, and one image.
    const trace::ClockCursor::Image last = times.duration_ps == 0 ? first : cursor_->map(static_cast<TimePs>(end));
    const Int128 offset = first.time - zero_;
    if (!fits_64_bits(offset)) return false;
    const TimePs duration = last.time - first.time;
    if (first.time != start || duration != times.duration_ps) ++summary.events_moved;
    const bool had_offset = times.has_offset;
    times.offset_ps = static_cast<std::int64_t>(offset);
    times.duration_ps = duration;
    // A member that is not written is 0: it has to be written once it is not.
    times.has_offset = had_offset || offset != 0;
    return first.is_first && last.is_first && had_offset == times.has_offset;
  }

  static void set_timestamp(LineTimes& times, Int128 timestamp_ns) {
    if (!fits_64_bits(timestamp_ns)) return;
    times.timestamp_ns = static_cast<std::int64_t>(timestamp_ns);
    times.has_timestamp = times.has_timestamp || timestamp_ns != 0;
  }

  std::uint32_t number_of(const trace::Clock* clock) {
    for (std::uint32_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == clock) return i;
    }
    used_.push_back(clock);
    record_.clocks.push_back(*clock);
    return static_cast<std::uint32_t>(used_.size() - 1);
  }

  const Retiming& retiming_;
  AlignmentRecord& record_;
  std::vector<const trace::Clock*> used_;     // as record_.clocks
  std::optional<trace::ClockCursor> cursor_;  // of the line at hand, as is all that follows
  Int128 anchor_ = 0;                         // its old start, since the epoch
  Int128 zero_ = 0;                           // its new start, since the epoch
  std::uint64_t event_ = 0;
};

/// New times back to the old ones, by the record.
class Backward final : public TimeChange {
 public:
  explicit Backward(const AlignmentRecord& record) : record_(record) {}

  std::int64_t start(std::int64_t unix_ns) override { return record_.start_unix_ns.value_or(unix_ns); }
  std::int64_t stop(std::int64_t unix_ns) override { return record_.stop_unix_ns.value_or(unix_ns); }

  bool begin_line(LineTimes& times) override {
    if (next_line_ >= record_.lines.size())
      return false;  // not the file that the record is about, as its hash will show
    const AlignmentRecord::Line& line = record_.lines[next_line_++];
    zero_ = ps_between(record_.epoch_unix_ns, record_.origin_unix_ns) + Int128{times.timestamp_ns} * kPsPerNs;
    times = line.original;
    anchor_ = ps_between(record_.epoch_unix_ns, record_.base_unix_ns) + Int128{times.timestamp_ns} * kPsPerNs;
    event_ = 0;
    if (line.clock == AlignmentRecord::kNoClock) return false;
    cursor_.emplace(record_.clocks[line.clock].knots());
    return true;
  }

  void change(EventTimes& times) override {
    const std::uint64_t event = event_++;
    if (remembered_ < record_.remembered.size()) {
      const AlignmentRecord::Remembered& entry = record_.remembered[remembered_];
      if (entry.line + 1 == next_line_ && entry.event == event) {
        times = entry.original;
        ++remembered_;
        return;
      }
    }
    const Int128 start = zero_ + times.offset_ps;
    const Int128 end = start + times.duration_ps;
    if (!is_image(start) || !is_image(end)) return;
    const TimePs first = cursor_->first_preimage(static_cast<TimePs>(start));
    const TimePs last = times.duration_ps == 0 ? first : cursor_->first_preimage(static_cast<TimePs>(end));
    const Int128 offset = first - anchor_;
    if (!fits_64_bits(offset)) return;
    times.offset_ps = static_cast<std::int64_t>(offset);
    times.duration_ps = last - first;
  }

  void pass_untimed() override {}

 private:
  const AlignmentRecord& record_;
  std::optional<trace::ClockCursor> cursor_;
  Int128 anchor_ = 0;
  Int128 zero_ = 0;
  std::uint64_t event_ = 0;
  std::size_t next_line_ = 0;
  std::size_t remembered_ = 0;
};

Status check_clocks(const Retiming& retiming) {
  const auto too_far = [] {
    return Error{.message = "the clocks are more than 26 days apart", .hint = "do the files belong to one run?"};
  };
  if (!trace::is_moment(ps_between(retiming.epoch_unix_ns, retiming.origin_unix_ns))) return too_far();
  const auto fits = [](const trace::Clock* clock) {
    return clock == nullptr || trace::ClockCursor(clock->knots()).fits();
  };
  for (const trace::Clock* clock : retiming.clock_of_lane) {
    if (!fits(clock)) return too_far();
  }
  return fits(retiming.host_clock) ? Status() : Status(too_far());
}

/// The last field of the file; its begin is the end of the file if there is none.
WireField last_field(std::string_view bytes) {
  WireReader cursor(bytes);
  WireField field, last;
  last.begin = bytes.data() + bytes.size();
  while (cursor.next(field)) last = field;
  return last;
}

}  // namespace

Result<RewriteSummary> rewrite(const std::string& path_in, const std::string& path_out, const Retiming& retiming) {
  if (const Status fits = check_clocks(retiming); !fits) return fits.error();
  const Result<Contents> contents = Contents::open(path_in);
  if (!contents) return contents.error();
  const Result<SpaceOutline> space = read_outline(*contents);
  if (!space) return space.error();
  Result<OutputFile> file = OutputFile::create(path_out);
  if (!file) return file.error();

  AlignmentRecord record;
  record.base_unix_ns = profile_start_unix_ns(*space).value_or(0);
  record.epoch_unix_ns = retiming.epoch_unix_ns;
  record.origin_unix_ns = retiming.origin_unix_ns;
  record.original_bytes = contents->bytes().size();
  record.original_xxh3 = hash_contents(*contents);
  record.note = retiming.record;
  Forward change(retiming, record);
  CopySink sink(*file);
  if (const Status copied = copy_with_times(*contents, *space, contents->bytes(), change, sink); !copied)
    return copied.error();
  // A file that did not change needs no record to be undone.
  const bool is_same = sink.bytes() == record.original_bytes && sink.xxh3() == record.original_xxh3;
  if (!is_same || !record.note.empty()) sink.write(encode(record));
  if (const Status written = file->commit(); !written) return written.error();
  return change.summary;
}

Status undo(const std::string& path_in, const std::string& path_out) {
  const Result<Contents> contents = Contents::open(path_in);
  if (!contents) return contents.error();
  const Result<SpaceOutline> space = read_outline(*contents);
  if (!space) return space.error();
  const WireField last = last_field(contents->bytes());
  const bool is_aligned =
      !space->planes.empty() && space->planes.back().name == kAlignmentPlane && last.number == space_field::planes;
  if (!is_aligned)
    return Error{.message = "there is no alignment to undo: the file does not end with a plane /clock_alignment",
                 .file = path_in,
                 .hint = "only files that an alignment wrote can be restored"};
  const Result<AlignmentRecord> record = decode(*contents, space->planes.back());
  if (!record) return record.error();
  Result<OutputFile> file = OutputFile::create(path_out);
  if (!file) return file.error();
  Backward change(*record);
  CopySink sink(*file);
  // Without the record, which is the last field.
  const std::string_view part = contents->bytes().substr(0, contents->offset_of(last.begin));
  if (const Status copied = copy_with_times(*contents, *space, part, change, sink); !copied) return copied;
  if (sink.bytes() != record->original_bytes || sink.xxh3() != record->original_xxh3)
    return Error{.message = "the file was changed after its alignment: the original cannot be restored",
                 .file = path_in,
                 .hint = "use the aligned file as it was written"};
  return file->commit();
}

}  // namespace orrery::xspace

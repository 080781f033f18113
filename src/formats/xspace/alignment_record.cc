#include "formats/xspace/alignment_record.h"

#include <array>
#include <cstring>
#include <limits>

#include "base/protobuf/protobuf_wire.h"
#include "formats/xspace/schema.h"
#include "trace/clock.h"

// The record is one message of numbers: clocks, lines and remembered events as lists without tags, each number as the
// zigzag varint of its difference to the one before, since knots and events lie close together. Reading checks every
// list to its end: what a damaged record says would be written into somebody's file.

namespace orrery::xspace {
namespace {

constexpr std::uint64_t kVersion = 1;

namespace record_field {
enum : std::uint32_t {
  version = 1,
  base_unix_ns = 2,
  epoch_unix_ns = 3,
  origin_unix_ns = 4,
  start_unix_ns = 5,
  stop_unix_ns = 6,
  original_bytes = 7,
  original_xxh3 = 8,
  clock = 9,       // bytes: from, to and uncertainty of each knot, each as the difference to the knot before
  lines = 10,      // bytes: clock + 1, flags, timestamp_ns, duration_ps of each line
  remembered = 11  // bytes: line, event (both as differences), flags, offset_ps, duration_ps of each
};
}
/// Which of the two members of a line or an event the original has.
std::uint64_t flags_of(bool first, bool second) { return (first ? 1u : 0u) | (second ? 2u : 0u); }
bool has_first(std::uint64_t flags) { return (flags & 1) != 0; }
bool has_second(std::uint64_t flags) { return (flags & 2) != 0; }

constexpr std::string_view kStatNames[] = {kOriginStat, "note", "undo"};
enum StatId : std::uint64_t { kOrigin = 1, kNote = 2, kUndo = 3 };

void append_signed(std::string& out, std::int64_t value) { append_varint(out, zigzag(value)); }
std::int64_t difference(std::int64_t a, std::int64_t b) {
  // By way of unsigned numbers, where overflow is defined: differences wrap around, and wrap back when added.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string encode_clock(const trace::Clock& clock) {
  std::string out;
  trace::ClockKnot before;
  for (const trace::ClockKnot& knot : clock.knots()) {
    append_signed(out, difference(knot.from_ps, before.from_ps));
    append_signed(out, difference(knot.to_ps, before.to_ps));
    append_signed(out, difference(knot.uncertainty_ps, before.uncertainty_ps));
    before = knot;
  }
  return out;
}

std::string encode_lines(const std::vector<AlignmentRecord::Line>& lines) {
  std::string out;
  for (const AlignmentRecord::Line& line : lines) {
    // In 32 bits, so that kNoClock wraps around to 0.
    append_varint(out, static_cast<std::uint32_t>(line.clock + 1));  // kNoClock: 0
    append_varint(out, flags_of(line.original.has_timestamp, line.original.has_duration));
    append_signed(out, line.original.timestamp_ns);
    append_signed(out, line.original.duration_ps);
  }
  return out;
}

std::string encode_remembered(const std::vector<AlignmentRecord::Remembered>& events) {
  std::string out;
  std::uint32_t line = 0;
  std::uint64_t event = 0;
  for (const AlignmentRecord::Remembered& entry : events) {
    // Events are counted anew in every line.
    if (entry.line != line) event = 0;
    // The record has them in order of line and event: the differences are never negative.
    append_varint(out, entry.line - line);
    append_varint(out, entry.event - event);
    append_varint(out, flags_of(entry.original.has_offset, entry.original.has_duration));
    append_signed(out, entry.original.offset_ps);
    append_signed(out, entry.original.duration_ps);
    line = entry.line;
    event = entry.event;
  }
  return out;
}

std::string encode_body(const AlignmentRecord& record) {
  std::string out;
  append_number(out, record_field::version, kVersion);
  append_number(out, record_field::base_unix_ns, zigzag(record.base_unix_ns));
  append_number(out, record_field::epoch_unix_ns, zigzag(record.epoch_unix_ns));
  append_number(out, record_field::origin_unix_ns, zigzag(record.origin_unix_ns));
  if (record.start_unix_ns) append_number(out, record_field::start_unix_ns, zigzag(*record.start_unix_ns));
  if (record.stop_unix_ns) append_number(out, record_field::stop_unix_ns, zigzag(*record.stop_unix_ns));
  append_number(out, record_field::original_bytes, record.original_bytes);
  append_number(out, record_field::original_xxh3, record.original_xxh3);
  for (const trace::Clock& clock : record.clocks) append_bytes(out, record_field::clock, encode_clock(clock));
  append_bytes(out, record_field::lines, encode_lines(record.lines));
  append_bytes(out, record_field::remembered, encode_remembered(record.remembered));
  return out;
}

/// Numbers that follow one another without tags.
class NumberList {
 public:
  explicit NumberList(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  std::uint64_t next() {
    std::uint64_t value = 0;
    const char* p = rest_.data();
    const char* const end = p + rest_.size();
    // After a failure nothing is taken any more, and all that follows is 0; the caller looks once, at the end.
    failed_ |= !take_varint(p, end, value);
    rest_ = failed_ ? std::string_view() : between(p, end);
    return failed_ ? 0 : value;
  }
  std::int64_t next_signed() { return unzigzag(next()); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

bool decode_clock(std::string_view bytes, std::vector<trace::Clock>& clocks) {
  NumberList numbers(bytes);
  std::vector<trace::ClockKnot> knots;
  trace::ClockKnot knot;
  while (!numbers.at_end()) {
    knot.from_ps = sum(knot.from_ps, numbers.next_signed());
    knot.to_ps = sum(knot.to_ps, numbers.next_signed());
    knot.uncertainty_ps = sum(knot.uncertainty_ps, numbers.next_signed());
    knots.push_back(knot);
  }
  const Result<trace::Clock> clock = trace::Clock::from_knots(knots);
  // A damaged record must not bring a clock that would overflow.
  if (numbers.failed() || !clock || !trace::ClockCursor(clock->knots()).fits()) return false;
  clocks.push_back(*clock);
  return true;
}

bool decode_lines(std::string_view bytes, std::vector<AlignmentRecord::Line>& lines) {
  NumberList numbers(bytes);
  while (!numbers.at_end()) {
    AlignmentRecord::Line line;
    const std::uint64_t clock = numbers.next();
    const std::uint64_t flags = numbers.next();
    line.clock = static_cast<std::uint32_t>(clock - 1);
    line.original.has_timestamp = has_first(flags);
    line.original.has_duration = has_second(flags);
    line.original.timestamp_ns = numbers.next_signed();
    line.original.duration_ps = numbers.next_signed();
    // Checked behind the reads, because the number was cut to 32 bits above.
    if (clock > std::numeric_limits<std::uint32_t>::max()) return false;
    lines.push_back(line);
  }
  return !numbers.failed();
}

bool decode_remembered(std::string_view bytes, std::vector<AlignmentRecord::Remembered>& events) {
  NumberList numbers(bytes);
  std::uint64_t line = 0;
  std::uint64_t event = 0;
  while (!numbers.at_end()) {
    const std::uint64_t lines_on = numbers.next();
    line += lines_on;
    event = (lines_on == 0 ? event : 0) + numbers.next();
    const std::uint64_t flags = numbers.next();
    AlignmentRecord::Remembered entry{.line = static_cast<std::uint32_t>(line), .event = event, .original = {}};
    entry.original.has_offset = has_first(flags);
    entry.original.has_duration = has_second(flags);
    entry.original.offset_ps = numbers.next_signed();
    entry.original.duration_ps = numbers.next_signed();
    if (line > std::numeric_limits<std::uint32_t>::max()) return false;
    events.push_back(entry);
  }
  return !numbers.failed();
}

bool take(const WireField& field, AlignmentRecord& record) {
  switch (field.number) {
    // A later version may mean something else by the same members: better not to undo than to undo wrongly.
    case record_field::version: return field.value == kVersion;
    case record_field::base_unix_ns: record.base_unix_ns = unzigzag(field.value); break;
    case record_field::epoch_unix_ns: record.epoch_unix_ns = unzigzag(field.value); break;
    case record_field::origin_unix_ns: record.origin_unix_ns = unzigzag(field.value); break;
    case record_field::start_unix_ns: record.start_unix_ns = unzigzag(field.value); break;
    case record_field::stop_unix_ns: record.stop_unix_ns = unzigzag(field.value); break;
    case record_field::original_bytes: record.original_bytes = field.value; break;
    case record_field::original_xxh3: record.original_xxh3 = field.value; break;
    case record_field::clock: return decode_clock(field.bytes, record.clocks);
    case record_field::lines: return decode_lines(field.bytes, record.lines);
    case record_field::remembered: return decode_remembered(field.bytes, record.remembered);
    // Members that later writers of this version may add say nothing that is needed here.
    default: break;
  }
  return true;
}

bool decode_body(std::string_view body, AlignmentRecord& record) {
  WireReader cursor(body);
  WireField field;
  while (cursor.next(field)) {
    // From the clocks on all members are lists.
    const WireType expected = field.number >= record_field::clock ? WireType::bytes : WireType::varint;
    if (field.type != expected || !take(field, record)) return false;
  }
  // An empty body would decode to a record that undoes nothing.
  if (cursor.damaged() || body.empty()) return false;
  // Clocks may follow the lines in the message, so they are compared when all is read.
  for (const AlignmentRecord::Line& line : record.lines) {
    if (line.clock != AlignmentRecord::kNoClock && line.clock >= record.clocks.size()) return false;
  }
  return true;
}

void append_stat(std::string& plane, std::uint64_t id, const auto& append_value) {
  std::string stat;
  append_number(stat, stat_field::metadata_id, id);
  append_value(stat);
  append_bytes(plane, plane_field::stats, stat);
}

}  // namespace

std::string encode(const AlignmentRecord& record) {
  std::string plane;
  append_bytes(plane, plane_field::name, kAlignmentPlane);
  for (std::uint64_t id = kOrigin; id <= kUndo; ++id) {
    std::string metadata;
    append_number(metadata, metadata_field::id, id);
    append_bytes(metadata, metadata_field::name, kStatNames[id - 1]);
    std::string entry;
    append_number(entry, entry_field::key, id);
    append_bytes(entry, entry_field::value, metadata);
    append_bytes(plane, plane_field::stat_metadata, entry);
  }
  append_stat(plane, kOrigin, [&](std::string& stat) {
    // As a plain number too, for programs that know nothing of the record.
    append_number(stat, stat_field::int64_value, static_cast<std::uint64_t>(record.origin_unix_ns));
  });
  if (!record.note.empty())
    append_stat(plane, kNote, [&](std::string& stat) { append_bytes(stat, stat_field::str_value, record.note); });
  append_stat(plane, kUndo,
              [&](std::string& stat) { append_bytes(stat, stat_field::bytes_value, encode_body(record)); });
  std::string field;
  append_bytes(field, space_field::planes, plane);
  return field;
}

Result<AlignmentRecord> decode(const Contents& contents, const PlaneOutline& plane) {
  AlignmentRecord record;
  bool found = false;
  for (const std::string_view message : plane.stats) {
    StatValue stat;
    if (!read_stat(message, stat)) return contents.damage(message.data());
    const std::string_view name = plane.stat_name(stat.metadata_id);
    if (name == kStatNames[kNote - 1]) record.note = stat.text;
    if (name != kStatNames[kUndo - 1]) continue;
    if (!decode_body(stat.text, record))
      return contents.damage(message.data(), "the record of the alignment is damaged, or of a later version");
    found = true;
  }
  if (!found)
    return contents.damage(plane.message.data(), "there is no record of the alignment in the plane /clock_alignment");
  return record;
}

}  // namespace orrery::xspace

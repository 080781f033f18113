#include "formats/xspace/retimed_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/column.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/xspace/alignment_record.h"
#include "formats/xspace/schema.h"

// Planes and lines are walked once; every number that is no time is copied as bytes. Almost all events have one shape,
// which is read and written without a walk over their members; all others go the general way. Lengths stand before what
// they measure, so that a line is written with a gap for its length and moved if that needs another byte. Numbers that
// no protobuf library writes so are refused, since undoing could not restore them.

namespace orrery::xspace {

std::uint64_t hash_contents(const Contents& contents) {
  constexpr std::size_t kBlockBytes = 4u << 20;
  const std::string_view bytes = contents.bytes();
  ContentHash hash;
  for (std::size_t at = 0; at < bytes.size(); at += kBlockBytes) {
    const std::string_view block = bytes.substr(at, kBlockBytes);
    hash.add(block);
    contents.release(block);
  }
  return hash.xxh3();
}

// The shape that almost all events have, read without a walk over their members.

/// An event as every protobuf library writes it: metadata_id, offset_ps, duration_ps unless it is 0, stats.
struct UsualEvent {
  std::string_view head;   // up to the offset
  std::string_view stats;  // behind the duration
  EventTimes times;
};

/// False if the event is anything but usual; it is then up to the general way to copy it or to say what is wrong with
/// it.
bool read_usual_event(std::string_view event, UsualEvent& usual);

namespace {

/// One byte or more that end in one without the highest bit; false if they are not all there or more than needed.
bool take_minimal_varint(const char*& at, const char* end, std::uint64_t& value) {
  value = 0;
  // Seven bits at a time; nine bytes hold what is not negative.
  for (unsigned shift = 0; shift < 63 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return byte != 0 || shift == 0;
  }
  return false;  // also numbers of ten bytes, negative ones, which are not usual
}

}  // namespace

bool read_usual_event(std::string_view event, UsualEvent& usual) {
  // Tags of protobuf: the number of a member times 8, plus its wire type.
  constexpr char kMetadataTag = 0x08, kOffsetTag = 0x10, kDurationTag = 0x18, kStatTag = 0x22;
  const char* at = event.data();
  const char* const end = at + event.size();
  std::uint64_t number = 0;
  if (at == end || *at++ != kMetadataTag || !take_minimal_varint(at, end, number)) return false;
  usual.head = between(event.data(), at);
  if (at == end || *at++ != kOffsetTag || !take_minimal_varint(at, end, number)) return false;
  usual.times = {static_cast<std::int64_t>(number), 0, true, false};
  if (at != end && *at == kDurationTag) {
    if (!take_minimal_varint(++at, end, number)) return false;
    usual.times.duration_ps = static_cast<std::int64_t>(number);
    usual.times.has_duration = true;
  }
  usual.stats = between(at, end);
  while (at != end) {
    if (end - at < 2 || *at != kStatTag) return false;
    const auto length = static_cast<unsigned char>(at[1]);
    if (length >= 0x80 || end - at - 2 < length) return false;
    at += 2 + length;
  }
  return true;
}

namespace {

constexpr std::size_t kReleaseBytes = 4u << 20;
constexpr std::size_t kMaxVarintBytes = 10;

/// A number whose bits are all needed, as are those of its tag. Of the tenth byte only the lowest is: readers drop the
/// others.
bool is_minimal_number(const WireField& field) {
  const std::size_t bytes = varint_size(field.value);
  return static_cast<std::size_t>(field.end - field.begin) == varint_size(wire_tag(field.number, field.type)) + bytes &&
         (bytes < kMaxVarintBytes || field.end[-1] == 1);
}
bool has_minimal_length(const WireField& field) {
  return static_cast<std::size_t>(field.content - field.begin) ==
         varint_size(wire_tag(field.number, field.type)) + varint_size(field.bytes.size());
}

/// A number of a message: where it stands, or would be put, and what becomes of it.
struct Member {
  std::uint32_t number = 0;
  const char* begin = nullptr;  // begin == end: not there
  const char* end = nullptr;
  bool is_present = false;  // in the copy
  std::uint64_t value = 0;

  [[nodiscard]] bool was_present() const { return begin != end; }
  [[nodiscard]] std::size_t copied_bytes() const {
    return is_present ? varint_size(wire_tag(number, WireType::varint)) + varint_size(value) : 0;
  }
  char* put(char* out) const {
    return is_present ? put_varint(put_varint(out, wire_tag(number, WireType::varint)), value) : out;
  }
};

class Copier {
 public:
  Copier(const Contents& contents, const SpaceOutline& space, TimeChange& change, CopySink& sink)
      : contents_(contents), space_(space), change_(change), sink_(sink) {}

  Status copy(std::string_view part) {
    WireReader cursor(part);
    WireField field;
    std::size_t plane = 0;
    while (cursor.next(field)) {
      if (field.number != space_field::planes) {
        sink_.write(field.whole());
        continue;
      }
      if (const Status copied = copy_plane(field, space_.planes[plane++]); !copied) return copied;
    }
    return cursor.damaged() ? Status(contents_.damage(cursor.position())) : Status();
  }

 private:
  Status copy_plane(const WireField& plane, const PlaneOutline& outline) {
    const bool is_environment = outline.name == kEnvironmentPlane;
    if (outline.lines.empty() && !is_environment) {
      sink_.write(plane.whole());
      return {};
    }
    // Undoing writes numbers in their least length: what was written longer could not be restored to the byte.
    if (!has_minimal_length(plane)) return unusual(plane.begin);
    out_.clear();
    WireReader cursor(plane.bytes);
    WireField field;
    while (cursor.next(field)) {
      Status copied;
      if (field.number == plane_field::lines) copied = copy_line(field);
      else if (field.number == plane_field::stats && is_environment) copied = copy_environment_stat(field, outline);
      else append(field.whole());
      if (!copied) return copied;
    }
    if (cursor.damaged()) return contents_.damage(cursor.position());
    std::string head;
    append_varint(head, wire_tag(space_field::planes, WireType::bytes));
    append_varint(head, out_.size());
    sink_.write(head);
    sink_.write({out_.data(), out_.size()});
    return {};
  }

  Status copy_environment_stat(const WireField& stat, const PlaneOutline& plane) {
    StatValue value;
    if (!read_stat(stat.bytes, value)) return contents_.damage(stat.begin);
    const std::string_view name = plane.stat_name(value.metadata_id);
    bool& done = name == kStartTimeStat ? start_done_ : stop_done_;
    const bool is_number = value.kind == stat_field::uint64_value || value.kind == stat_field::int64_value;
    // Of two of a name readers take the first.
    if ((name != kStartTimeStat && name != kStopTimeStat) || !is_number || done) return append(stat.whole()), Status();
    done = true;
    const auto unix_ns = static_cast<std::int64_t>(value.number);
    Member member{
        .number = value.kind,
        .is_present = true,
        .value = static_cast<std::uint64_t>(name == kStartTimeStat ? change_.start(unix_ns) : change_.stop(unix_ns))};
    WireReader cursor(stat.bytes);
    WireField field;
    while (cursor.next(field)) {
      if (field.number != member.number) continue;
      if (member.was_present() || !is_minimal_number(field)) return unusual(field.begin);
      member.begin = field.begin, member.end = field.end;
    }
    if (!has_minimal_length(stat)) return unusual(stat.begin);
    // One member changes; the other one stands for none, behind it.
    append_message(plane_field::stats, stat.bytes, member, {.number = ~0u, .begin = member.end, .end = member.end});
    return {};
  }

  /// Finds a line's times; a missing timestamp would stand before the first member of a higher number.
  Status find_line_members(const WireField& line, LineTimes& times, Member& timestamp, Member& duration) const {
    timestamp.number = line_field::timestamp_ns;
    duration.number = line_field::duration_ps;
    const char* before_events = nullptr;
    WireReader cursor(line.bytes);
    WireField field;
    while (cursor.next(field)) {
      if (field.number > line_field::timestamp_ns && before_events == nullptr) before_events = field.begin;
      if (field.number == line_field::events) {
        if (field.type != WireType::bytes) return contents_.damage(field.begin);
        continue;
      }
      Member* member = field.number == line_field::timestamp_ns  ? &timestamp
                       : field.number == line_field::duration_ps ? &duration
                                                                 : nullptr;
      if (member == nullptr) continue;
      if (field.type != WireType::varint) return contents_.damage(field.begin);
      if (member->was_present() || !is_minimal_number(field)) return unusual(field.begin);
      member->begin = field.begin, member->end = field.end, member->value = field.value;
    }
    if (cursor.damaged()) return contents_.damage(cursor.position());
    const char* const end = line.bytes.data() + line.bytes.size();
    times = {static_cast<std::int64_t>(timestamp.value), static_cast<std::int64_t>(duration.value),
             timestamp.was_present(), duration.was_present()};
    // Members come in ascending order, so that a new one goes before the first of a higher number.
    if (!timestamp.was_present()) timestamp.begin = timestamp.end = before_events == nullptr ? end : before_events;
    if (!duration.was_present()) duration.begin = duration.end = end;
    return {};
  }

  Status copy_line(const WireField& line) {
    if (!has_minimal_length(line)) return unusual(line.begin);
    LineTimes times;
    Member timestamp, duration;
    if (const Status found = find_line_members(line, times, timestamp, duration); !found) return found;
    const bool events_change = change_.begin_line(times);
    timestamp.value = static_cast<std::uint64_t>(times.timestamp_ns), timestamp.is_present = times.has_timestamp;
    duration.value = static_cast<std::uint64_t>(times.duration_ps), duration.is_present = times.has_duration;
    if (!events_change) {
      append_message(plane_field::lines, line.bytes, timestamp, duration);
      contents_.release(line.bytes);
      return {};
    }
    return copy_line_with_events(line, timestamp, duration);
  }

  Status copy_line_with_events(const WireField& line, const Member& timestamp, const Member& duration) {
    // The length is known only afterwards; it mostly takes as many bytes as before.
    append_varint(wire_tag(plane_field::lines, WireType::bytes));
    const std::size_t length_at = out_.size();
    const std::size_t gap = varint_size(line.bytes.size());
    out_.resize_uninitialized(length_at + gap);
    const char* const end = line.bytes.data() + line.bytes.size();
    const char* released = line.bytes.data();
    bool timestamp_done = false;
    const auto insert_timestamp = [&] {
      timestamp_done = true;
      append_member(timestamp);
    };
    WireReader cursor(line.bytes);
    WireField field;
    while (cursor.next(field)) {
      if (!timestamp_done && field.begin == timestamp.begin) insert_timestamp();
      if (field.number == line_field::events) {
        if (const Status copied = copy_event(field); !copied) return copied;
        if (static_cast<std::size_t>(field.end - released) >= kReleaseBytes)
          contents_.release(between(released, field.end)), released = field.end;
      } else if (field.number == line_field::duration_ps) {
        append_member(duration);
      } else if (field.number != line_field::timestamp_ns) {
        append(field.whole());
      }
    }
    if (!timestamp_done) insert_timestamp();
    if (!duration.was_present()) append_member(duration);
    contents_.release(between(released, end));
    close_length(length_at, gap);
    return {};
  }

  Status copy_event(const WireField& event) {
    UsualEvent usual;
    if (!has_minimal_length(event) || !read_usual_event(event.bytes, usual)) return copy_unusual_event(event);
    const EventTimes before = usual.times;
    change_.change(usual.times);
    if (usual.times == before) append(event.whole());
    else append_usual(usual);
    return {};
  }

  void append_usual(const UsualEvent& event) {
    const Member offset{.number = event_field::offset_ps,
                        .is_present = event.times.has_offset,
                        .value = static_cast<std::uint64_t>(event.times.offset_ps)};
    const Member duration{.number = event_field::duration_ps,
                          .is_present = event.times.has_duration,
                          .value = static_cast<std::uint64_t>(event.times.duration_ps)};
    const std::size_t size = event.head.size() + offset.copied_bytes() + duration.copied_bytes() + event.stats.size();
    const std::size_t old = out_.size();
    out_.resize_uninitialized(old + 2 * kMaxVarintBytes + size);
    char* out = put_varint(put_varint(out_.data() + old, wire_tag(line_field::events, WireType::bytes)), size);
    for (const char c : event.head) *out++ = c;
    out = duration.put(offset.put(out));
    std::memcpy(out, event.stats.data(), event.stats.size());
    out_.resize_uninitialized(static_cast<std::size_t>(out - out_.data()) + event.stats.size());
  }

  Status copy_unusual_event(const WireField& event) {
    Member offset{.number = event_field::offset_ps}, duration{.number = event_field::duration_ps};
    const char* occurrences = nullptr;
    const char* insert_at = event.bytes.data();
    WireReader cursor(event.bytes);
    WireField field;
    while (cursor.next(field)) {
      if (field.number == event_field::stats || field.number > event_field::num_occurrences) continue;
      if (field.type != WireType::varint) return contents_.damage(field.begin);
      if (field.number == event_field::num_occurrences) {
        occurrences = field.begin;
        continue;
      }
      if (field.number == event_field::metadata_id) {
        if (field.begin == event.bytes.data()) insert_at = field.end;
        continue;
      }
      Member& member = field.number == event_field::offset_ps ? offset : duration;
      if (member.was_present() || !is_minimal_number(field)) return unusual(field.begin);
      member.begin = field.begin, member.end = field.end, member.value = field.value;
    }
    if (cursor.damaged()) return contents_.damage(cursor.position());
    if (occurrences != nullptr) {
      if (offset.was_present()) return unusual(occurrences);
      change_.pass_untimed();
      append(event.whole());
      return {};
    }
    if (!has_minimal_length(event)) return unusual(event.begin);
    const EventTimes before{static_cast<std::int64_t>(offset.value), static_cast<std::int64_t>(duration.value),
                            offset.was_present(), duration.was_present()};
    EventTimes times = before;
    change_.change(times);
    if (times == before) return append(event.whole()), Status();
    if (!before.has_offset) offset.begin = offset.end = insert_at;
    if (!before.has_duration) duration.begin = duration.end = std::max(insert_at, offset.end);
    offset.value = static_cast<std::uint64_t>(times.offset_ps), offset.is_present = times.has_offset;
    duration.value = static_cast<std::uint64_t>(times.duration_ps), duration.is_present = times.has_duration;
    append_message(line_field::events, event.bytes, offset, duration);
    return {};
  }

  /// The message as field `number`, with two of its members as they are to be.
  void append_message(std::uint32_t number, std::string_view message, const Member& one, const Member& other) {
    const Member& first = one.begin <= other.begin ? one : other;
    const Member& second = one.begin <= other.begin ? other : one;
    const auto removed =
        static_cast<std::size_t>(first.end - first.begin) + static_cast<std::size_t>(second.end - second.begin);
    const std::size_t size = message.size() - removed + first.copied_bytes() + second.copied_bytes();
    const std::size_t old = out_.size();
    out_.resize_uninitialized(old + 2 * kMaxVarintBytes + size);
    char* out = put_varint(put_varint(out_.data() + old, wire_tag(number, WireType::bytes)), size);
    const auto copy = [&](const char* begin, const char* end) {
      std::memcpy(out, begin, static_cast<std::size_t>(end - begin));
      out += end - begin;
    };
    copy(message.data(), first.begin);
    out = first.put(out);
    copy(first.end, second.begin);
    out = second.put(out);
    copy(second.end, message.data() + message.size());
    out_.resize_uninitialized(static_cast<std::size_t>(out - out_.data()));
  }

  void close_length(std::size_t length_at, std::size_t gap) {
    const std::size_t size = out_.size() - length_at - gap;
    const std::size_t needed = varint_size(size);
    if (needed > gap) out_.resize_uninitialized(out_.size() + needed - gap);
    // Mostly nothing moves: times change in their last digits.
    if (needed != gap) std::memmove(out_.data() + length_at + needed, out_.data() + length_at + gap, size);
    out_.resize_uninitialized(length_at + needed + size);
    put_varint(out_.data() + length_at, size);
  }

  void append(std::string_view bytes) { out_.append({bytes.data(), bytes.size()}); }
  void append_varint(std::uint64_t value) {
    const std::size_t old = out_.size();
    out_.resize_uninitialized(old + varint_size(value));
    put_varint(out_.data() + old, value);
  }
  static void append_varint(std::string& out, std::uint64_t value) { orrery::append_varint(out, value); }
  void append_member(const Member& member) {
    const std::size_t old = out_.size();
    out_.resize_uninitialized(old + member.copied_bytes());
    member.put(out_.data() + old);
  }

  [[nodiscard]] Status unusual(const char* position) const {
    return Error{"a number is written twice or in more bytes than it needs, which no protobuf library does",
                 contents_.path(), contents_.offset_of(position),
                 "its times cannot be changed in a way that could be undone"};
  }

  const Contents& contents_;
  const SpaceOutline& space_;
  TimeChange& change_;
  CopySink& sink_;
  Column<char> out_;  // the plane at hand, without its tag and length
  bool start_done_ = false;
  bool stop_done_ = false;
};

}  // namespace

Status copy_with_times(const Contents& contents, const SpaceOutline& space, std::string_view part, TimeChange& change,
                       CopySink& sink) {
  return Copier(contents, space, change, sink).copy(part);
}

}  // namespace orrery::xspace

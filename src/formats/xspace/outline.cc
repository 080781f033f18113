#include "formats/xspace/outline.h"

#include "formats/xspace/schema.h"

// One walk over the space and each of its planes, which takes only where lines and tables lie. Damage is told by the
// place at which reading stopped, and what was read before it may still be used.

namespace orrery::xspace {
namespace {

/// Where the damage is, if there is some.
using Damage = const char*;

Damage read_metadata(std::string_view entry, std::vector<MetadataEntry>& table) {
  MetadataEntry read;
  WireReader cursor(entry);
  WireField field;
  while (cursor.next(field)) {
    if (field.is(entry_field::key, WireType::varint)) read.id = field.integer();
    // Members that are not known are passed over, as protobuf asks for.
    if (!field.is(entry_field::value, WireType::bytes)) continue;
    WireReader members(field.bytes);
    WireField member;
    while (members.next(member)) {
      if (member.is(metadata_field::name, WireType::bytes)) read.name = member.bytes;
      if (member.is(metadata_field::display_name, WireType::bytes)) read.display_name = member.bytes;
    }
    if (members.damaged()) return members.position();
  }
  if (cursor.damaged()) return cursor.position();
  table.push_back(read);
  return nullptr;
}

// A member that is known must have its type: where it does not, bytes were lost.
bool has_wrong_type(const WireField& field) {
  if (field.number == plane_field::id) return field.type != WireType::varint;
  return field.number <= plane_field::stats && field.type != WireType::bytes;
}

Damage read_plane(std::string_view message, PlaneOutline& plane) {
  plane.message = message;
  WireReader cursor(message);
  WireField field;
  while (cursor.next(field)) {
    if (has_wrong_type(field)) return field.begin;
    Damage damage = nullptr;
    switch (field.number) {
      case plane_field::id: plane.id = field.integer(); break;
      case plane_field::name: plane.name = field.bytes; break;
      case plane_field::lines: plane.lines.push_back(field.bytes); break;
      case plane_field::event_metadata: damage = read_metadata(field.bytes, plane.event_metadata); break;
      case plane_field::stat_metadata: damage = read_metadata(field.bytes, plane.stat_metadata); break;
      case plane_field::stats: plane.stats.push_back(field.bytes); break;
      default: break;
    }
    if (damage != nullptr) return damage;
  }
  return cursor.damaged() ? cursor.position() : nullptr;
}

Damage read_space(std::string_view bytes, SpaceOutline& space) {
  WireReader cursor(bytes);
  WireField field;
  while (cursor.next(field)) {
    // The first members of a space are all messages or texts; a number there means that bytes were lost.
    if (field.number <= space_field::hostnames && field.type != WireType::bytes) return field.begin;
    if (field.number == space_field::errors || field.number == space_field::warnings)
      space.complaints.push_back(field.bytes);
    if (field.number == space_field::hostnames) space.hostnames.push_back(field.bytes);
    if (field.number != space_field::planes) continue;
    PlaneOutline plane;
    if (const Damage damage = read_plane(field.bytes, plane)) return damage;
    space.planes.push_back(std::move(plane));
  }
  return cursor.damaged() ? cursor.position() : nullptr;
}

}  // namespace

bool take_line_member(const WireField& field, LineHeader& header) {
  switch (field.number) {
    case line_field::id: header.id = field.integer(); return field.is_varint();
    case line_field::timestamp_ns: header.timestamp_ns = field.integer(); return field.is_varint();
    case line_field::duration_ps: header.duration_ps = field.integer(); return field.is_varint();
    case line_field::name: header.name = field.bytes; return field.is_bytes();
    case line_field::display_name: header.display_name = field.bytes; return field.is_bytes();
    case line_field::events: return field.is_bytes();
    default: return true;
  }
}

std::string_view PlaneOutline::stat_name(std::int64_t wanted) const {
  std::string_view found;
  for (const MetadataEntry& entry : stat_metadata) {
    // Of two entries with one id the last counts, as in protobuf's maps.
    if (entry.id == wanted) found = entry.name;
  }
  return found;
}

const PlaneOutline* SpaceOutline::find(std::string_view plane_name) const {
  for (const PlaneOutline& plane : planes) {
    if (plane.name == plane_name) return &plane;
  }
  return nullptr;
}

Result<SpaceOutline> read_outline(const Contents& contents, bool salvage) {
  if (contents.bytes().empty()) return Error{.message = "the file is empty", .file = contents.path()};
  SpaceOutline space;
  if (const Damage damage = read_space(contents.bytes(), space)) {
    const Error error = contents.damage(damage);
    // Without a single plane there is nothing to salvage.
    if (!salvage || space.planes.empty()) return error;
    space.damage = error;
  }
  return space;
}

Result<LineHeader> read_line_header(const Contents& contents, std::string_view line) {
  LineHeader header;
  WireReader cursor(line);
  WireField field;
  for (;;) {
    std::string_view event;
    // Nearly all members of a line are events, so these are counted in a loop of their own.
    while (cursor.next_bytes(kEventTag, event)) ++header.event_count;
    if (!cursor.next(field)) break;
    if (!take_line_member(field, header)) return contents.damage(field.begin);
    if (field.number == line_field::events) ++header.event_count;
  }
  if (cursor.damaged()) return contents.damage(cursor.position());
  return header;
}

Result<LineHeader> read_line_front(const Contents& contents, std::string_view line) {
  LineHeader header;
  WireReader cursor(line);
  WireField field;
  // The front of a line only: what stands behind the first event is not asked for.
  while (cursor.next(field) && field.number != line_field::events) {
    if (!take_line_member(field, header)) return contents.damage(field.begin);
  }
  if (cursor.damaged()) return contents.damage(cursor.position());
  return header;
}

bool read_stat(std::string_view message, StatValue& stat) {
  stat = {};
  WireReader cursor(message);
  WireField field;
  while (cursor.next(field)) {
    if (field.number == stat_field::metadata_id) stat.metadata_id = field.integer();
    // Members between these two numbers are the kinds of values; a stat has one of them.
    if (field.number < stat_field::double_value || field.number > stat_field::ref_value) continue;
    stat.kind = field.number;
    const bool holds_bytes = field.number == stat_field::str_value || field.number == stat_field::bytes_value;
    const WireType expected = holds_bytes                                ? WireType::bytes
                              : field.number == stat_field::double_value ? WireType::fixed64
                                                                         : WireType::varint;
    if (field.type != expected) return false;
    if (holds_bytes) stat.text = field.bytes;
    else stat.number = field.value;
  }
  return !cursor.damaged();
}

std::optional<std::int64_t> profile_start_unix_ns(const SpaceOutline& space) {
  for (const PlaneOutline& plane : space.planes) {
    if (plane.name != kEnvironmentPlane) continue;
    for (const std::string_view message : plane.stats) {
      StatValue stat;
      if (!read_stat(message, stat) || (stat.kind != stat_field::uint64_value && stat.kind != stat_field::int64_value))
        continue;
      if (plane.stat_name(stat.metadata_id) == kStartTimeStat) return static_cast<std::int64_t>(stat.number);
    }
  }
  // A file of an old profiler that was aligned.
  // From the end, since the latest alignment is the one that holds.
  for (auto plane = space.planes.rbegin(); plane != space.planes.rend(); ++plane) {
    if (plane->name != kAlignmentPlane) continue;
    for (const std::string_view message : plane->stats) {
      StatValue stat;
      if (!read_stat(message, stat) || stat.kind != stat_field::int64_value) continue;
      if (plane->stat_name(stat.metadata_id) == kOriginStat) return static_cast<std::int64_t>(stat.number);
    }
  }
  return std::nullopt;
}

}  // namespace orrery::xspace

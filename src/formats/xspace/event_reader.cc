#include "formats/xspace/event_reader.h"

#include "formats/xspace/naming.h"

// Most events have a head of three small numbers and stats of two: those are read without a general decoder. Whatever
// does not fit that pattern is read field by field, from the start, so both ways give the same record.

namespace orrery::xspace {
namespace {

constexpr char varint_tag(std::uint32_t field) { return static_cast<char>(field << 3); }
constexpr char bytes_tag(std::uint32_t field) { return static_cast<char>(field << 3 | 2); }

void take_stat(const PlaneNames& names, StatRole role, const StatValue& stat, EventRecord& record) {
  record.roles |= 1u << static_cast<unsigned>(role);
  std::int64_t& number = record.numbers[static_cast<std::size_t>(role)];
  switch (role) {
    case StatRole::operation: record.operation = names.text(stat); break;
    case StatRole::module_name: record.module_name = names.text(stat); break;
    case StatRole::details:
    case StatRole::bytes: {
      // Both say how much was moved; the last one that does counts.
      const std::optional<std::int64_t> bytes =
          role == StatRole::bytes ? static_cast<std::int64_t>(stat.number) : bytes_in_details(names.text(stat));
      record.roles &= ~(1u << static_cast<unsigned>(StatRole::details) | 1u << static_cast<unsigned>(StatRole::bytes));
      if (!bytes) break;
      record.roles |= 1u << static_cast<unsigned>(StatRole::bytes);
      record.numbers[static_cast<std::size_t>(StatRole::bytes)] = *bytes;
      break;
    }
    default: number = static_cast<std::int64_t>(stat.number);
  }
}

// {metadata_id, one number}, both of 8 bytes at most: false if it is anything else, and nothing was taken then.
bool take_usual_stat(const char* p, const char* end, const PlaneNames& names, EventRecord& record) {
  if (end - p < 4 || *p != varint_tag(stat_field::metadata_id)) return false;
  const char* const id_at = ++p;
  std::uint64_t id = 0;
  take_padded_varint(p, id);
  if (p == id_at || p >= end) return false;
  StatValue stat;
  const char tag = *p++;
  const bool is_number = tag == varint_tag(stat_field::uint64_value) || tag == varint_tag(stat_field::int64_value) ||
                         tag == varint_tag(stat_field::ref_value);
  if (!is_number) return false;
  const char* const value_at = p;
  take_padded_varint(p, stat.number);
  if (p == value_at || p != end) return false;
  const StatRole role = names.role(static_cast<std::int64_t>(id));
  if (role == StatRole::none) return true;
  stat.kind = static_cast<std::uint32_t>(tag) >> 3;
  take_stat(names, role, stat, record);
  return true;
}

bool take_any_stat(std::string_view message, const PlaneNames& names, EventRecord& record) {
  if (take_usual_stat(message.data(), message.data() + message.size(), names, record)) return true;
  StatValue stat;
  if (!read_stat(message, stat)) return false;
  if (const StatRole role = names.role(stat.metadata_id); role != StatRole::none) take_stat(names, role, stat, record);
  return true;
}

// Any event, field by field.
const char* read_any_event(std::string_view event, const PlaneNames& names, EventRecord& record) {
  record.metadata_id = record.offset_ps = record.duration_ps = 0;
  record.is_timed = true;
  record.roles = 0;
  WireReader fields(event);
  WireField field;
  while (fields.next(field)) {
    if (field.number > event_field::num_occurrences) continue;
    if (field.type != (field.number == event_field::stats ? WireType::bytes : WireType::varint)) return field.begin;
    switch (field.number) {
      case event_field::metadata_id: record.metadata_id = field.integer(); break;
      // The offset and the number of occurrences are one of two: the last counts.
      case event_field::offset_ps: record.offset_ps = field.integer(), record.is_timed = true; break;
      case event_field::duration_ps: record.duration_ps = field.integer(); break;
      case event_field::num_occurrences: record.is_timed = false; break;
      case event_field::stats:
        if (!take_any_stat(field.bytes, names, record)) return field.begin;
        break;
      default: break;
    }
  }
  return fields.damaged() ? fields.position() : nullptr;
}

}  // namespace

bool read_usual_stats(const char* p, const char* end, const PlaneNames& names, EventRecord& record) {
  record.roles = 0;
  while (p < end) {
    const std::size_t length = static_cast<unsigned char>(p[1]);
    if (*p != bytes_tag(event_field::stats) || length >= 0x80 || static_cast<std::size_t>(end - p) < 2 + length ||
        !take_any_stat({p + 2, length}, names, record))
      return false;
    p += 2 + length;
  }
  return p == end;
}

const char* read_event(std::string_view event, const PlaneNames& names, EventRecord& record) {
  EventHead head;
  if (!read_usual_head(event, head) || !read_usual_stats(head.stats, event.data() + event.size(), names, record))
    return read_any_event(event, names, record);
  record.metadata_id = static_cast<std::int64_t>(head.metadata_id);
  record.offset_ps = head.offset_ps;
  record.duration_ps = head.duration_ps;
  record.is_timed = true;
  return nullptr;
}

}  // namespace orrery::xspace

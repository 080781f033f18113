// One event of a line: its times, and those of its stats that mean something to a Trace.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/protobuf/protobuf_wire.h"
#include "formats/xspace/plane_names.h"
#include "formats/xspace/schema.h"

namespace orrery::xspace {

/// What an event says. Made once and filled again and again: only what `roles` names is valid.
struct EventRecord {
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool is_timed = true;  ///< false: it stands for several occurrences (num_occurrences)

  [[nodiscard]] bool has(StatRole role) const { return (roles >> static_cast<unsigned>(role) & 1) != 0; }
  [[nodiscard]] std::int64_t number(StatRole role) const { return numbers[static_cast<std::size_t>(role)]; }
  [[nodiscard]] std::optional<std::int64_t> find(StatRole role) const {
    return has(role) ? std::optional(number(role)) : std::nullopt;
  }

  std::uint32_t roles = 0;  ///< bits by StatRole: which stats there are
  std::array<std::int64_t, kStatRoles> numbers = {};
  std::string_view operation, module_name;  ///< of StatRole::operation and module_name
};

/// What an event of the usual shape begins with: as every protobuf library writes it, each number of at most 8 bytes.
struct EventHead {
  std::uint64_t metadata_id;
  std::int64_t offset_ps;    ///< not negative, as little as the duration
  std::int64_t duration_ps;  ///< 0 if there is none
  const char* stats;         ///< where they begin; the end of the event if it has none
};

/// False if `event` begins in another way, which read_event can read. `event` is followed by at least 64 readable
/// bytes. In the header because it is most of the work of reading a file: half of the events are nothing but a head.
[[gnu::always_inline]] inline bool read_usual_head(std::string_view event, EventHead& head) {
  constexpr char kMetadataTag = event_field::metadata_id << 3, kOffsetTag = event_field::offset_ps << 3;
  constexpr char kDurationTag = event_field::duration_ps << 3, kStatsTag = event_field::stats << 3 | 2;
  const char* p = event.data();
  const char* const end = p + event.size();
  if (*p++ != kMetadataTag) return false;
  // Ids of one and two bytes take turns, and a branch on which it is would be guessed wrong too often.
  std::uint16_t id = 0;
  std::memcpy(&id, p, sizeof id);
  const unsigned has_second = id >> 7 & 1u;
  if ((id >> 15 & has_second) != 0) return false;
  head.metadata_id = (id & 0x7Fu) | ((id >> 1 & 0x3F80u) & (0u - has_second));
  p += 1 + has_second;
  // A number that reaches over the end of the event is met by the comparisons with it: what lies behind can be read,
  // and is not used.
  std::uint64_t number = 0;
  if (*p++ != kOffsetTag) return false;
  const char* const offset_at = p;
  take_padded_varint(p, number);
  if (p == offset_at) return false;
  head.offset_ps = static_cast<std::int64_t>(number);
  head.duration_ps = 0;
  if (p < end && *p == kDurationTag) {
    const char* const duration_at = ++p;
    take_padded_varint(p, number);
    if (p == duration_at) return false;
    head.duration_ps = static_cast<std::int64_t>(number);
  }
  head.stats = p;
  return p == end || (p < end && *p == kStatsTag);
}

/// The stats of an event of the usual shape: each a message of less than 128 bytes, and nothing behind them. False if
/// they are not so; `record` is then to be read again. Sets `roles` and what they name, no more.
bool read_usual_stats(const char* stats, const char* end, const PlaneNames& names, EventRecord& record);

/// Reads `event` with the names of its plane. Null, or where the damage is. `event` is followed by at least 64 readable
/// bytes. Events of the usual shape take a short way, all others the walk over their fields, with the same outcome.
const char* read_event(std::string_view event, const PlaneNames& names, EventRecord& record);

}  // namespace orrery::xspace

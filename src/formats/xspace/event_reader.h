// One event of a line: its times, and those of its stats that mean something to a Trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/xspace/plane_names.h"

namespace orrery::xspace {

/// What an event says. Made once and filled again and again: only what `roles` names is valid.
struct EventRecord {
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  bool is_timed = true;  ///< false: it stands for several occurrences (num_occurrences)

  [[nodiscard]] bool has(StatRole role) const { return (roles >> static_cast<unsigned>(role) & 1) != 0; }
  [[nodiscard]] std::int64_t number(StatRole role) const { return numbers[static_cast<std::size_t>(role)]; }
  [[nodiscard]] std::optional<std::int64_t> find(StatRole role) const { return has(role) ? std::optional(number(role)) : std::nullopt; }

  std::uint32_t roles = 0;  ///< bits by StatRole: which stats there are
  std::array<std::int64_t, kStatRoles> numbers = {};
  std::string_view operation, module_name;  ///< of StatRole::operation and module_name
};

/// Reads `event` with the names of its plane. Null, or where the damage is. `event` is followed by at least 64 readable bytes.
/// Events as every protobuf library writes them (metadata_id, offset_ps, duration_ps, stats of an id and a value) take a short way; all others
/// the walk over their fields, with the same outcome.
const char* read_event(std::string_view event, const PlaneNames& names, EventRecord& record);

}  // namespace orrery::xspace

// Field numbers of XSpace, as docs/formats/xspace.md tells them.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::xspace {

namespace space_field {
enum : std::uint32_t { planes = 1, errors = 2, warnings = 3, hostnames = 4 };
}
namespace plane_field {
enum : std::uint32_t { id = 1, name = 2, lines = 3, event_metadata = 4, stat_metadata = 5, stats = 6 };
}
namespace line_field {
enum : std::uint32_t {
  id = 1,
  name = 2,
  timestamp_ns = 3,
  events = 4,
  duration_ps = 9,
  display_id = 10,
  display_name = 11
};
}
inline constexpr char kEventTag = line_field::events << 3 | 2;  ///< how an event begins in a line
namespace event_field {
enum : std::uint32_t { metadata_id = 1, offset_ps = 2, duration_ps = 3, stats = 4, num_occurrences = 5 };
}
namespace stat_field {
enum : std::uint32_t {
  metadata_id = 1,
  double_value = 2,
  uint64_value = 3,
  int64_value = 4,
  str_value = 5,
  bytes_value = 6,
  ref_value = 7
};
}
/// Members of XEventMetadata; XStatMetadata has the first two.
namespace metadata_field {
enum : std::uint32_t { id = 1, name = 2, metadata = 3, display_name = 4, stats = 5 };
}
/// An entry of a map field.
namespace entry_field {
enum : std::uint32_t { key = 1, value = 2 };
}

inline constexpr std::string_view kEnvironmentPlane = "Task Environment";
inline constexpr std::string_view kStartTimeStat = "profile_start_time";
inline constexpr std::string_view kStopTimeStat = "profile_stop_time";
/// Where a rewritten file keeps what undoing the rewrite needs: see alignment_record.h.
inline constexpr std::string_view kAlignmentPlane = "/clock_alignment";
inline constexpr std::string_view kOriginStat = "origin_unix_ns";

}  // namespace orrery::xspace

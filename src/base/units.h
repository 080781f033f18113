// Time and size units. Time is integral everywhere: signed picoseconds since the job's epoch, so that results never
// depend on rounding.
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

using TimePs = std::int64_t;  ///< a point in time or a duration; 106 days fit

inline constexpr TimePs kPsPerNs = 1'000;
inline constexpr TimePs kPsPerUs = 1'000'000;
inline constexpr TimePs kPsPerMs = 1'000'000'000;
inline constexpr TimePs kPsPerSecond = 1'000'000'000'000;

/// high - low for low <= high: always fits without a sign.
inline std::uint64_t distance(TimePs low, TimePs high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

/// Microseconds for display and JSON; exact for values below 2^53 ps, rounded to the nearest double above.
inline double to_us(TimePs ps) { return static_cast<double>(ps) / static_cast<double>(kPsPerUs); }

/// A duration in the unit a reader would choose, with three or four significant digits: "57.4 ms", "812 ns", "1.20 s".
std::string format_duration(TimePs ps);

/// "338 MB", "1.2 GB": decimal units, as storage is sold and as bandwidths are quoted.
std::string format_bytes(std::uint64_t bytes);

/// 1234567 -> "1,234,567".
std::string format_count(std::uint64_t count);

}  // namespace orrery

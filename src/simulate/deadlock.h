// What a simulator says when nothing can happen any more and not everything is done.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace orrery::simulate {

/// "deadlock after 1.20 us with 3 of 8 activities done: REASON". `total`: 0 if it is not known. What blocks whom is for
/// each simulator to find: each has other rules of who waits for whom.
inline Error deadlock(TimePs now, std::uint64_t done, std::uint64_t total, std::string_view what,
                      const std::string& reason) {
  const std::string all = total > 0 ? fmt::format(" of {}", total) : "";
  return {.message =
              fmt::format("deadlock after {} with {}{} {} done: {}", format_duration(now), done, all, what, reason)};
}

}  // namespace orrery::simulate

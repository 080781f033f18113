// Recorded starts, which are microseconds since 1970 or since some start-up, as picoseconds since the first of them:
// numbers that fit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/units.h"
#include "graph/types.h"
#include "workload/workload.h"

namespace orrery::chakra {

/// Moves the recorded starts of a program from one epoch to an earlier one; what then does not fit counts as not
/// recorded.
inline void move_epoch(workload::Program& program, std::int64_t from_us, std::int64_t to_us) {
  const std::int64_t apart_us = from_us - to_us;
  if (apart_us == 0) return;
  const bool fits = apart_us <= graph::kMaxWeightPs / kPsPerUs;
  program.starts_ps.update([&](TimePs start) { return fits ? start + apart_us * kPsPerUs : workload::kNotRecorded; });
}

class RecordedStarts {
 public:
  /// A start as it is to be kept until finish(); kNotRecorded if it is too far from the first one.
  TimePs take(std::uint64_t start_us) {
    if (start_us > kLargest) return workload::kNotRecorded;
    const auto us = static_cast<std::int64_t>(start_us);
    if (!base_us_) base_us_ = us, least_us_ = us;
    const std::int64_t apart = us - *base_us_;
    if (apart > kRange || apart < -kRange) return workload::kNotRecorded;
    least_us_ = std::min(least_us_, us);
    return apart * kPsPerUs;
  }
  /// Makes the earliest start of the program 0, and returns which microsecond that is; 0 if there is none.
  std::int64_t finish(workload::Program& program) const {
    if (!base_us_) return 0;
    move_epoch(program, *base_us_, least_us_);
    return least_us_;
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()} / 2;
  static constexpr std::int64_t kRange = graph::kMaxWeightPs / kPsPerUs;

  std::optional<std::int64_t> base_us_;  // the first that was seen
  std::int64_t least_us_ = 0;
};

}  // namespace orrery::chakra

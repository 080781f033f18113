// The moments at which a set changes, those that are close together taken for one.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/units.h"

namespace orrery::simulate {

/// Ascending; each is more than `merge_ps` after the one before it.
inline std::vector<TimePs> merged_moments(std::vector<TimePs> moments, TimePs merge_ps) {
  std::sort(moments.begin(), moments.end());
  std::size_t kept = 0;
  for (const TimePs moment : moments) {
    if (kept == 0 || moment - moments[kept - 1] > merge_ps) moments[kept++] = moment;
  }
  moments.resize(kept);
  return moments;
}

/// The one that `moment`, which was among those merged, counts as.
inline TimePs moment_of(std::span<const TimePs> moments, TimePs moment) {
  return *(std::upper_bound(moments.begin(), moments.end(), moment) - 1);
}

}  // namespace orrery::simulate

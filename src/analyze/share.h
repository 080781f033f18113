// Shares of a time, in percent.
#pragma once

#include "base/units.h"

namespace orrery::analyze {

/// 0 of nothing is 0.
inline double share_percent(TimePs part, TimePs whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace orrery::analyze

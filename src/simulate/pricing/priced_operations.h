// What operations cost in the company that a schedule put them in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "simulate/models/snapshot_interval.h"

namespace orrery::simulate {

/// By place in the Recording that was priced.
struct PricedOperations {
  std::vector<TimePs> isolated_ps;
  std::vector<TimePs> price_ps;
  std::vector<SnapshotInterval> intervals;  ///< by start; only those with members
  std::uint64_t coalesced = 0;              ///< operations that were too small to look at
  std::uint64_t fallbacks = 0;              ///< operations that the model has no price for
  std::string first_failure = {};           ///< why the first interval that failed did
};

}  // namespace orrery::simulate

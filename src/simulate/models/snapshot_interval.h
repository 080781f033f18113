// A stretch of time in which the set of operations under way did not change, and what being together did to each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace orrery::simulate {

struct SnapshotMember {
  std::uint32_t operation = 0;  ///< by its place in the list that was priced
  double inflation = 1;         ///< how much longer it takes in this company than alone
};

struct SnapshotInterval {
  TimePs start_ps = 0;
  TimePs end_ps = 0;
  bool failed = false;  ///< could not be priced: its members count as alone
  std::vector<SnapshotMember> members = {};
};

}  // namespace orrery::simulate

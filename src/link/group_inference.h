// Collectives whose process group was not recorded (gloo): which group they are of, from what the other ranks did.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace orrery::link {

/// `ungrouped`: per rank, collectives without a recorded group, in the order they were issued; they are of all ranks so far. `groups`: those that
/// could be meant. Ranks issue the collectives of a group in the same order; so where all ranks come next to the same collective (kind and
/// size) it is of all of them, and where they differ it is of a group whose members agree. Sets Program::group_names and adds the
/// groups in use to the workload, and returns how many activities got one. If that does not come out even, nothing is changed.
/// Every rank must have a program of its own. O(collectives x groups).
std::size_t infer_groups(const std::vector<std::vector<std::uint32_t>>& ungrouped, std::vector<workload::CommGroup> groups,
                         workload::Workload& workload);

}  // namespace orrery::link

// A workload that speaks of roles as one that lists groups and names ranks: for files and for simulators of other
// tools.
#pragma once

#include "workload/workload.h"

namespace orrery::workload {

/// The same job without roles: a program per rank, and the groups of each role listed as "1", "2", ... after those that
/// are there. Memory: all activities of all ranks.
Workload resolve_roles(const Workload& workload);

}  // namespace orrery::workload

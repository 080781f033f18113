// What the solver is told that a link can carry.
#pragma once

#include "machine/topology/link.h"

namespace orrery::simulate {

/// Bytes per second. The solver wants more than 0 of every link; one that is down is on no route, so that any number will do.
inline double solver_capacity(const machine::Link& link) { return link.bytes_per_second > 0 ? link.bytes_per_second : 1; }

}  // namespace orrery::simulate

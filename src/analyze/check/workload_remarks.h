// What a workload says that a simulation will not heed.
#pragma once

#include "base/diagnostics.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// Compute nodes that only say how much they do, not how long it took (S103): for simulations in recorded times.
void remark_on_missing_durations(const workload::Workload& workload, Diagnostics& diagnostics);

/// Compute nodes that only say how long they took, not how much they do (S115): for simulations by a roofline, which
/// cannot change them.
void remark_on_missing_operations(const workload::Workload& workload, Diagnostics& diagnostics);

/// Attributes that ASTRA-sim's own models give a meaning to, and ours do not: priorities (S106), dimensions left out
/// (S107).
void remark_on_unused_attributes(const workload::Workload& workload, Diagnostics& diagnostics);

}  // namespace orrery::analyze

// Which operator of another thread an operator that comes after a pause seems to wait for.
#pragma once

#include "base/column.h"
#include "causal/chakra/device_trace.h"

namespace orrery::causal::chakra {

/// One per host operator: the record function of the operator it depends on, 0 if there is none. At the begin of a thread and after a pause
/// of more than a millisecond that is the last operator of any other thread to start before; those that follow without a pause share it.
/// Of operators that start at the same time the one whose thread appears first is taken, of one thread the first. O(n log n).
Column<std::int64_t> inter_thread_dependencies(const HostOps& ops);

}  // namespace orrery::causal::chakra

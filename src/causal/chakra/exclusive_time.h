// How long operators run without those they call, in chakra_trace_link's arithmetic.
#pragma once

#include "base/column.h"
#include "base/result.h"
#include "causal/chakra/device_trace.h"

namespace orrery::causal::chakra {

/// One per host operator, in microseconds: its duration less the time that later operators of its thread take which end no later than it
/// does. Operators of one thread are taken by (ts, dur); of that time, stretches that touch are joined, and each is subtracted in turn.
///
/// O(n log n) for operators that nest, as those of a thread do. Where they overlap otherwise, an operator costs a step for every 64 that start
/// during it and end after it, and one for every stretch that counts. Fails if
/// something remains less than 0, as it does where rounding makes callees longer than their caller.
Result<Column<double>> exclusive_times(const HostOps& ops, const std::string& file);

}  // namespace orrery::causal::chakra

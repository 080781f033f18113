// The double nearest to a time stamp, as a JSON library reads it from the text.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "trace/trace.h"

namespace orrery::causal::hta {

/// The double nearest to (epoch_us + offset_ps / 10^6) microseconds, ties to even: what Python's float() gives for the
/// written decimal.
double microseconds_as_double(std::int64_t epoch_us, TimePs offset_ps);

/// What TimePs 0 of this rank is in the microseconds of its file.
std::int64_t written_epoch_us(const trace::RankTrace& rank);

}  // namespace orrery::causal::hta

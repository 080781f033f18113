// Times as decimal microseconds, exact to the picosecond.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace orrery::perfetto {

/// `epoch_ns` + `offset` in microseconds without trailing zeros: (1000000000, 1500001) -> "1000001.500001".
std::string timestamp_us(std::int64_t epoch_ns, TimePs offset);

}  // namespace orrery::perfetto

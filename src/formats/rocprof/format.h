// The descriptors of what ROCm's profiler writes: rocpd databases and rocprofv3's JSON.
#pragma once

#include "formats/format.h"

namespace orrery::rocprof {

extern const formats::Format kFormat;          ///< rocprofv3 --output-format json
extern const formats::Format kDatabaseFormat;  ///< rocpd

}  // namespace orrery::rocprof

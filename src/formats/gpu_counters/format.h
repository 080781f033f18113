// The descriptor of tables of GPU counters, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::gpu_counters {

extern const formats::Format kFormat;

}  // namespace orrery::gpu_counters

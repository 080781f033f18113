// The descriptor of memory snapshots of PyTorch's allocator.
#pragma once

#include "formats/format.h"

namespace orrery::memory_snapshot {

extern const formats::Format kFormat;

}  // namespace orrery::memory_snapshot

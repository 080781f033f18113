// The descriptor of PyTorch profiler traces.
#pragma once

#include "formats/format.h"

namespace orrery::kineto {

extern const formats::Format kFormat;

}  // namespace orrery::kineto

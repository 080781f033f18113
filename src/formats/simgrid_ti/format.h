// The descriptor of SimGrid's time-independent traces.
#pragma once

#include "formats/format.h"

namespace orrery::simgrid_ti {

extern const formats::Format kFormat;

}  // namespace orrery::simgrid_ti

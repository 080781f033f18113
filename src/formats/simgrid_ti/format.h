// The descriptor of SimGrid's time-independent traces.
#pragma once

#include "formats/format.h"

namespace orrery::simgrid_ti {

extern const formats::Format kFormat;
extern const formats::Format kRankFormat;  ///< one of the files that a list names

}  // namespace orrery::simgrid_ti

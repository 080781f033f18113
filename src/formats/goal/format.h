// The descriptor of GOAL schedules.
#pragma once

#include "formats/format.h"

namespace orrery::goal {

extern const formats::Format kFormat;

}  // namespace orrery::goal

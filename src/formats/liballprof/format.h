// The descriptor of liballprof traces.
#pragma once

#include "formats/format.h"

namespace orrery::liballprof {

extern const formats::Format kFormat;

}  // namespace orrery::liballprof

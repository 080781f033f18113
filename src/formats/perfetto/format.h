// How job/read/registry.cc knows Perfetto's own format.
#pragma once

#include "formats/format.h"

namespace orrery::perfetto {

extern const formats::Format kFormat;

}  // namespace orrery::perfetto

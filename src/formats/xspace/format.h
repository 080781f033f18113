// The descriptor of XSpace files.
#pragma once

#include "formats/format.h"

namespace orrery::xspace {

extern const formats::Format kFormat;

}  // namespace orrery::xspace

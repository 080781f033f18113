// The descriptor of Nsight Systems' exports.
#pragma once

#include "formats/format.h"

namespace orrery::nsys {

extern const formats::Format kFormat;

}  // namespace orrery::nsys

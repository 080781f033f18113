// The descriptor of the text workloads of ASTRA-sim 1.0.
#pragma once

#include "formats/format.h"

namespace orrery::astra_text {

extern const formats::Format kFormat;

}  // namespace orrery::astra_text

// The descriptor of the files in which ASTRA-sim lists communicators.
#pragma once

#include "formats/format.h"

namespace orrery::astra {

extern const formats::Format kGroupsFormat;

}  // namespace orrery::astra

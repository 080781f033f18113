// The descriptor of logs of NCCL's Inspector.
#pragma once

#include "formats/format.h"

namespace orrery::nccl_inspector {

extern const formats::Format kFormat;

}  // namespace orrery::nccl_inspector

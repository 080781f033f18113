// The descriptor of PyTorch execution traces, linked ones included.
#pragma once

#include "formats/format.h"

namespace orrery::pytorch_et {

extern const formats::Format kFormat;

}  // namespace orrery::pytorch_et

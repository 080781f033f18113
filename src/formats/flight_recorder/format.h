// The descriptor of dumps of PyTorch's Flight Recorder.
#pragma once

#include "formats/format.h"

namespace orrery::flight_recorder {

extern const formats::Format kFormat;

}  // namespace orrery::flight_recorder

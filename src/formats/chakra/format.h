// The descriptors of Chakra execution traces: protobuf, the JSON of its feeder, and the log that a simulator writes of
// them.
#pragma once

#include "formats/format.h"

namespace orrery::chakra {

extern const formats::Format kFormat;
extern const formats::Format kFeederFormat;
extern const formats::Format kLogFormat;

}  // namespace orrery::chakra

// The descriptors of A-mpiP traces, and of the report that goes with them.
#pragma once

#include "formats/format.h"

namespace orrery::ampip {

extern const formats::Format kFormat;
extern const formats::Format kReportFormat;

}  // namespace orrery::ampip

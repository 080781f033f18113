// The descriptors of logs of training steps, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::step_logs {

extern const formats::Format kMllogFormat;    ///< MLPerf's: lines with ":::MLLOG {"
extern const formats::Format kStepLogFormat;  ///< a line of JSON per rank and step

}  // namespace orrery::step_logs

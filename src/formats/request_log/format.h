// The descriptor of logs of requests to a serving engine, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::request_log {

extern const formats::Format kFormat;

}  // namespace orrery::request_log

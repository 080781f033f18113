// The descriptor of memory timelines, so that every verb knows one when it sees it.
#pragma once

#include "formats/format.h"

namespace orrery::memory_timeline {

extern const formats::Format kFormat;

}  // namespace orrery::memory_timeline

// What a file says about the process that wrote it.
#pragma once

#include <cstdint>

#include "tracer/clock_probes.h"
#include "tracer/settings.h"
#include "tracer/trace_file.h"

namespace orrery::tracer {

FileFacts facts_of_this_process(const Place& place, const Settings& settings, std::uint64_t start_ns);

}  // namespace orrery::tracer

// How the planned jobs of llm are run, and drawn.
#pragma once

#include <cstdint>

#include "analyze/forecast/llm_forecast.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// Activities of all ranks where they are written, or drawn and not too many; the use of links over time where it is shown.
analyze::KeptOfRun kept_of_run(const Invocation& invocation, std::int64_t ranks);

}  // namespace orrery::cli

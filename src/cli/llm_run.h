// How the planned jobs of llm are run, and drawn.
#pragma once

#include <cstdint>

#include "analyze/llm_forecast.h"
#include "cli/invocation.h"
#include "simulate/engine/options.h"

namespace orrery::cli {

/// Knows the user's own ASTRA-sim; keeps the use of links over time if --report asks for it. The invocation must outlive it.
analyze::PricedRunner priced_runner(const Invocation& invocation);

/// Of which ranks activities are kept: of all where they are written, or drawn and not too many.
simulate::Detail drawn_detail(const Invocation& invocation, std::int64_t ranks);

}  // namespace orrery::cli

// Sums over the requests of a step, out of its name. Private to src/analyze/roofline.
#pragma once

#include <optional>
#include <string_view>

#include "analyze/roofline/operator_cost.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// None if the name is that of no step, or does not say how long its requests are.
std::optional<RequestLengths> request_lengths(const trace::Trace& trace, std::string_view step);

}  // namespace orrery::analyze

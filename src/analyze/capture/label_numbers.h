// Numbers in the names of captures and steps: the batch or the tokens that a graph was captured for, and is launched
// with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace orrery::analyze {

/// "capture_batch_16" -> 16, "capture_32_FULL" -> 32: without 0, and without numbers that follow a letter.
std::vector<std::int64_t> label_numbers_of(std::string_view label);

/// Tokens and requests of a step, as its name says them; nothing if it is no step's.
std::vector<std::int64_t> step_numbers_of(const trace::Trace& trace, std::string_view step);

}  // namespace orrery::analyze

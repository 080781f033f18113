// What fitted constants of frameworks and clusters may be.
#pragma once

#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// Times, rates and factors: finite, and never negative.
inline constexpr machine::Range kConstant = {0, 1e18, true};

}  // namespace orrery::llm

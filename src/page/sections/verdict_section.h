// The first thing that a reader sees: how long a step takes, what bounds it, and what would help most.
#pragma once

#include "page/sections/section.h"
#include "page/step_facts.h"

namespace orrery::page {

Section verdict_section(const StepFacts& facts);

}  // namespace orrery::page

// What the path is made of: by kind, each bar beginning where the one before ended, and by contributor.
#pragma once

#include "page/sections/section.h"
#include "page/step_facts.h"

namespace orrery::page {

// The first thing that a reader sees: how long a step takes, what bounds it, and what would help most.

Section verdict_section(const StepFacts& facts);

Section waterfall_section(const StepFacts& facts);
Section contributors_section(const StepFacts& facts);

}  // namespace orrery::page

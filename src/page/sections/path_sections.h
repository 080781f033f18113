// What the path is made of: by kind, each bar beginning where the one before ended, and by contributor.
#pragma once

#include "page/sections/section.h"
#include "page/step_facts.h"

namespace orrery::page {

Section waterfall_section(const StepFacts& facts);
Section contributors_section(const StepFacts& facts);

}  // namespace orrery::page

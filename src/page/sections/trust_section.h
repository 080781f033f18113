// How far to trust the verdict: one strip of cells, each with a state, a word and a value.
#pragma once

#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "page/sections/section.h"
#include "page/step_facts.h"

namespace orrery::page {

struct TrustInputs {
  const StepFacts& facts;
  const Diagnostics& diagnostics;
  std::uint64_t events = 0, events_left_out = 0;
  std::optional<std::int64_t> world_size = {};
};

Section trust_section(const TrustInputs& inputs);

}  // namespace orrery::page

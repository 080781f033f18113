// Whether the steps of a recording were scaled alike: data that was there before a step may have been overlooked, and half a job scaled is none.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "replay/torch/edits/chosen_calls.h"

namespace orrery::replay::torch {

/// `has_changed` is by the number of the call. An Error names the first step of which much less was scaled than of another.
Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen, const std::vector<std::uint8_t>& has_changed);

}  // namespace orrery::replay::torch

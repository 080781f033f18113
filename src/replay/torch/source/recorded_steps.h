// Which step of the recording something is part of.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// Per visit the number of the step that it lies in, from 1 on; 0: before the first, or there are none.
std::vector<std::uint32_t> steps_of_visits(const RankSource& source);

}  // namespace orrery::replay::torch

// The breadth-first search of the ISB-BFS study as a built-in motif: its control flow, with times and sizes from
// published model files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/patterns/pattern.h"

namespace orrery::job {

/// The built-in motifs, and those that are made from files.
const std::vector<motif::PatternInfo>& motif_catalog();

}  // namespace orrery::job

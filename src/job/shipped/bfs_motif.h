// The breadth-first search of the ISB-BFS study as a built-in motif: its control flow, with times and sizes from
// published model files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "motif/motif.h"
#include "motif/patterns/pattern.h"

namespace orrery::job {

// What the call sites of the ISB-BFS study are: its traces and models know them by their numbers alone.

inline constexpr std::uint32_t kBfsCallSites = 62;

/// The call at site 1 to 62 of the searches on a square of ranks: what is called, by which ranks, and whom it speaks
/// to. Its bytes are for who has models or traces to say.
motif::Site bfs_call_site(std::uint32_t site);

/// The built-in motifs, and those that are made from files.
const std::vector<motif::PatternInfo>& motif_catalog();

}  // namespace orrery::job

// What the call sites of the ISB-BFS study are: its traces and models know them by their numbers alone.
#pragma once

#include <cstdint>

#include "motif/motif.h"

namespace orrery::job {

inline constexpr std::uint32_t kBfsCallSites = 62;

/// The call at site 1 to 62 of the searches on a square of ranks: what is called, by which ranks, and whom it speaks
/// to. Its bytes are for who has models or traces to say.
motif::Site bfs_call_site(std::uint32_t site);

}  // namespace orrery::job

// A rank from a linked trace: the rows of a host trace with times, and a row per piece of device work under the
// operator that launched it.
#pragma once

#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// `linked` may also be a host trace alone: then there are no times and no device work. `strings` must outlive the
/// result. O(n log n).
RankSource source_of_linked(const trace::HostTrace& linked, const Interner& strings, std::int64_t rank,
                            std::int64_t world_size);

}  // namespace orrery::replay::torch

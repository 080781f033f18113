// What dumps of host backends (gloo) leave open and all ranks together tell: who is in a group, and when calls ended.
#pragma once

#include <cstdint>
#include <span>

#include "base/diagnostics.h"
#include "trace/read_rank.h"

namespace orrery::flight_recorder {

/// Lists in each rank the groups that its calls name: as its dump has them; else all ranks for "default_pg", and for
/// others those whose calls name the group. Sets the world's size, the largest that anything bears out, and returns it.
/// The ranks are in ascending order.
std::int64_t complete_groups(std::span<trace::ReadRank* const> ranks);

/// A collective of a host backend that is over ends when the last member has come, at most when its rank calls the
/// next, and at least a nanosecond after it began. One that a member never called, though that member dumped, failed:
/// it has no end.
void estimate_ends(std::span<trace::ReadRank* const> ranks, Diagnostics& diagnostics);

}  // namespace orrery::flight_recorder

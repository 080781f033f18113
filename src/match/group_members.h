// How many members the group of a communication has.
#pragma once

#include <cstdint>

#include "match/sightings.h"
#include "trace/trace.h"

namespace orrery::match {

/// By whatever says so: the size that the event records, the list of ranks, else the world's; at least `seen`, those
/// that were seen to take part. Of an operation of a group that the ranks list (Operation::members), that group says
/// it.
std::uint32_t group_members(const trace::Trace& trace, const trace::RankTrace& rank, const Operation& operation,
                            trace::EventIndex event, std::uint32_t seen);

}  // namespace orrery::match

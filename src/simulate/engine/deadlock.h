// Why a simulation cannot go on: who waits for whom, all the way round.
#pragma once

#include "base/result.h"
#include "simulate/engine/run_state.h"

namespace orrery::simulate {

/// To be called when nothing can happen and activities remain. Every one of them then waits for another: for a partner
/// that has not arrived, for a dependency, or for its turn on its communicator. Following that leads into a circle, or
/// to one that waits for whoever comes, and nobody does. The Error tells it:
///
///   deadlock after 1.20 us with 3 of 8 activities done: rank 0, node 2 (recv) waits for rank 1, node 5 (send), which
///   comes after rank 1, node 4 (recv), which waits for rank 0, node 3 (send), which comes after the first: a circle
///
/// `total`: activities of the executed ranks; 0: not known.
Error explain_deadlock(const workload::Membership& membership, const RunState& state, std::uint64_t total);

}  // namespace orrery::simulate

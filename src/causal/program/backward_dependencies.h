// Forward operators and the backward operators that were made by them.
#pragma once

#include "base/diagnostics.h"
#include "causal/program/activity_pairs.h"

namespace orrery::causal {

/// From the forward operator's last activity to the backward operator's first. By the profiler's arrows (fwdbwd) where
/// there are any; else by sequence number: the last operator of the forward thread with the number comes first. Those
/// that lead back in time are counted in `cut`.
ActivityPairs find_backward_dependencies(const trace::Trace& trace, const trace::RankTrace& rank,
                                         const ActivityChain& chain, Diagnostics& diagnostics);

}  // namespace orrery::causal

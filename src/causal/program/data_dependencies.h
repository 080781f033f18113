// Dependencies that follow from data: an operator that reads a storage comes after the one that last wrote it.
#pragma once

#include "base/diagnostics.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "causal/program/activity_chain.h"
#include "trace/host_arguments.h"

namespace orrery::causal {

// Forward operators and the backward operators that were made by them.

/// From the forward operator's last activity to the backward operator's first. By the profiler's arrows (fwdbwd) where
/// there are any; else by sequence number: the last operator of the forward thread with the number comes first. Those
/// that lead back in time are counted in `cut`.
ActivityPairs find_backward_dependencies(const trace::Trace& trace, const trace::RankTrace& rank,
                                         const ActivityChain& chain, Diagnostics& diagnostics);

/// Between the device work of the two operators, from the last of the writer to the first of the reader, where both
/// have any; for storages of the host between their host activities. Per reader and lane of the writers only the last
/// writer counts: the others come before it anyway. Operators are those that launch device work themselves, or touch
/// storages of the host. Ordered by reader. O(tensors + operators log operators).
ActivityPairs find_tensor_dependencies(const trace::Trace& trace, const trace::RankTrace& rank, const HostMatch& match,
                                       const OperatorIndex& operators, const trace::HostArguments& arguments,
                                       const ActivityChain& chain, Diagnostics& diagnostics);

}  // namespace orrery::causal

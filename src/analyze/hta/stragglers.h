// get_potential_stragglers: the ranks that start the most varying collective last.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"

namespace orrery::analyze::hta {

/// At most `candidates` ranks, the most suspicious first, by what happened in `steps` (empty: in all that were
/// profiled). Fails without steps, without a long NCCL kernel on several ranks, or if a step has fewer ranks than
/// candidates.
Result<std::vector<std::int64_t>> potential_stragglers(const causal::hta::JobRows& job, std::size_t candidates,
                                                       const std::vector<std::int64_t>& steps = {});

}  // namespace orrery::analyze::hta

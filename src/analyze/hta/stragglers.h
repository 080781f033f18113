// get_potential_stragglers: the ranks that start the most varying collective last.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/hta/totals.h"
#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

// get_gpu_user_annotation_breakdown, and which steps were profiled.

/// Durations by name of the rows of one category, per rank, in a sheet called `sheet_name`. Nested ones each count in
/// full. Fails if no rank has the category.
Result<report::Sheet> annotations_sheet(const causal::hta::JobRows& job, std::string_view sheet_name,
                                        std::string_view category, const TotalsLimit& limit);

/// The distinct numbers of step rows that the filter left, ascending.
std::vector<std::int64_t> profiled_steps(const causal::hta::JobRows& job);

/// At most `candidates` ranks, the most suspicious first, by what happened in `steps` (empty: in all that were
/// profiled). Fails without steps, without a long NCCL kernel on several ranks, or if a step has fewer ranks than
/// candidates.
Result<std::vector<std::int64_t>> potential_stragglers(const causal::hta::JobRows& job, std::size_t candidates,
                                                       const std::vector<std::int64_t>& steps = {});

}  // namespace orrery::analyze::hta

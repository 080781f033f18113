// get_gpu_user_annotation_breakdown, and which steps were profiled.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/hta/totals.h"
#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// Durations by name of the rows of one category, per rank, in a sheet called `sheet_name`. Nested ones each count in
/// full. Fails if no rank has the category.
Result<report::Sheet> annotations_sheet(const causal::hta::JobRows& job, std::string_view sheet_name,
                                        std::string_view category, const TotalsLimit& limit);

/// The distinct numbers of step rows that the filter left, ascending.
std::vector<std::int64_t> profiled_steps(const causal::hta::JobRows& job);

}  // namespace orrery::analyze::hta

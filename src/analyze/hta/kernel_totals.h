// get_gpu_kernel_breakdown, second table: durations by kernel.
#pragma once

#include "analyze/hta/totals.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// Ordered by type, name and rank; what is of type OTHER is in no row.
report::Sheet kernel_totals_sheet(const causal::hta::JobRows& job, bool with_memory, const TotalsLimit& limit);

}  // namespace orrery::analyze::hta

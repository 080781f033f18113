// get_gpu_kernel_breakdown, first table: time by the types of kernels that run, alone and overlapping.
#pragma once

#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// Summed over ranks, in descending order. Without `with_memory`, copies and sets are left out.
report::Sheet kernel_types_sheet(const causal::hta::JobRows& job, bool with_memory);

}  // namespace orrery::analyze::hta

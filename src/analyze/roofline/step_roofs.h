// Model FLOPs utilisation of steps: what their products computed of what the device could have in the same time.
#pragma once

#include <vector>

#include "analyze/roofline/roofline_sheets.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// rank step phase wall busy flops peak_type mfu busy_mfu. FLOPs are those of gemm, grouped gemm, attention and conv;
/// the peak is that of the type with most of them.
report::Sheet step_roofs_sheet(const std::vector<RooflineRank>& ranks, const machine::Device& device);

}  // namespace orrery::analyze

// The critical path as HTA computes it, told in HTA's own shape.
#pragma once

#include "analyze/path/hta_summary.h"
#include "causal/hta/critical_path.h"
#include "report/answer.h"

namespace orrery::ask {

void tell_hta_path(report::Answer& answer, const causal::hta::CriticalPath& path, const analyze::HtaSummary& summary,
                   bool with_breakdown);

}  // namespace orrery::ask

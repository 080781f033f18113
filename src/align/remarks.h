// What could not be held to happens-before, and why, as counted remarks.
#pragma once

#include "align/causality.h"
#include "base/diagnostics.h"
#include "match/exchange.h"
#include "trace/trace.h"

namespace orrery::align {

void remark_on_causality(const Exchanges& exchanges, const CausalityReport& report, const trace::Trace& trace,
                         Diagnostics& diagnostics);

}  // namespace orrery::align

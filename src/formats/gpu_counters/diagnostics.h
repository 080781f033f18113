// What the reader of GPU counters remarks.
#pragma once

#include "base/diagnostics.h"

namespace orrery::gpu_counters {

inline constexpr DiagnosticKind kBadSample{"S294", Severity::warning, "row of GPU counters that cannot be used",
                                           "it is left out; its time is not like 2026/11/17 13:11:10.928"};

}  // namespace orrery::gpu_counters

// Remarks of chakra_trace_link that do not stop it. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::causal::chakra {

inline constexpr DiagnosticKind kWorkWithoutLaunch{"L211", Severity::warning,
                                                   "kernel or copy without a launch that Chakra knows",
                                                   "left out, as chakra_trace_link does; the default mode keeps it"};
inline constexpr DiagnosticKind kWorkWithoutOperator{"L212", Severity::warning,
                                                     "kernel or copy launched outside of any operator",
                                                     "left out, as chakra_trace_link does; the default mode keeps it"};
inline constexpr DiagnosticKind kNoSyncPath{"L213", Severity::warning,
                                            "no critical path, hence no synchronisation among the dependencies",
                                            "chakra_trace_link goes on without it, too"};
inline constexpr DiagnosticKind kUnmeasuredRow{
    "L214", Severity::note, "row of the host trace that the profiler trace does not know", "it has no times"};

}  // namespace orrery::causal::chakra

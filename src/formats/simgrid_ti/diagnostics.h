// What can be odd about a TI trace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::simgrid_ti {

inline constexpr DiagnosticKind kWithoutEffect{"I830", Severity::note, "TI trace: action on communicators, which replay passes over",
                                               "all collectives are of all ranks, as in SimGrid's replay"};
inline constexpr DiagnosticKind kNothingToWaitFor{"I831", Severity::warning, "TI trace: wait for a request that nobody made",
                                                  "it waits for nothing"};
inline constexpr DiagnosticKind kUnknownAction{"I832", Severity::warning, "TI trace: action that is not known", "it was left out"};
inline constexpr DiagnosticKind kScan{"I833", Severity::warning, "TI trace: scan or exscan, which no workload has",
                                      "taken as an all-reduce of the same size"};

}  // namespace orrery::simgrid_ti

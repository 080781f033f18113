// What pricing has to say besides prices; docs/DIAGNOSTICS.md explains each.
#pragma once

#include "base/diagnostics.h"

namespace orrery::simulate {

inline constexpr DiagnosticKind kRaisedDelay{"S109", Severity::note, "ASTRA-sim was given an endpoint delay of 1 ns",
                                             "the machine's messages cost nothing, and with 0 it aborts"};
inline constexpr DiagnosticKind kFailedSnapshot{"S110", Severity::warning, "snapshot that could not be priced",
                                                "its operations count as alone in it"};
inline constexpr DiagnosticKind kFasterThanIsolated{
    "S111", Severity::warning, "the run is faster with sharing than without",
    "slower operations came in a luckier order (Graham's anomaly): the mode in-loop says more"};
inline constexpr DiagnosticKind kUnsafePartition{"S112", Severity::warning, "link that several fabrics use, which are priced apart",
                                                 "what they do to each other there is missing: leave partition_by_fabric out"};
inline constexpr DiagnosticKind kUnusableCache{"S113", Severity::warning, "file of prices that cannot be used",
                                               "everything is priced anew"};
inline constexpr DiagnosticKind kNoPrice{"S114", Severity::warning, "operation that the model has no price for",
                                         "it takes what the links give it alone, which is another model's time"};

}  // namespace orrery::simulate

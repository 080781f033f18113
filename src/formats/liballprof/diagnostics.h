// What can be odd about a liballprof trace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::liballprof {

inline constexpr DiagnosticKind kUnknownFunction{"I820", Severity::warning,
                                                 "liballprof: function that MPI does not have",
                                                 "kept as a call that communicates with nobody"};
inline constexpr DiagnosticKind kOddArguments{"I821", Severity::warning,
                                              "liballprof: call whose arguments are not those of its function",
                                              "only its times were kept"};
inline constexpr DiagnosticKind kEndsBeforeStart{
    "I822", Severity::warning, "liballprof: call that ends before it starts", "taken to last no time"};
inline constexpr DiagnosticKind kUnknownMembers{
    "I823", Severity::warning, "liballprof: call on a communicator whose members are not recorded",
    "a trace has its size and one's place in it; whom it is with is not known"};
inline constexpr DiagnosticKind kRankGuessed{
    "I824", Severity::note, "liballprof: the name of a trace does not say its rank",
    "numbered by its place among the files; name them pmpi-trace-rank-0.txt, ..."};
inline constexpr DiagnosticKind kSalvaged{
    "I825", Severity::warning, "liballprof: the trace is damaged; only the calls before the damage were read",
    "copy the file again if you can"};
inline constexpr DiagnosticKind kRanksMissing{"I826", Severity::warning, "liballprof: rank of the job without a trace",
                                              "what it did with the others is not known"};

}  // namespace orrery::liballprof

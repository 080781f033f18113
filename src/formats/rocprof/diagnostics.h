// What can be wrong with recordings of ROCm's profiler. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::rocprof {

inline constexpr DiagnosticKind kUnusableRecord{
    "S221", Severity::warning,
    "record whose times are no integers, end before they start, or are more than 26 days away", "it was left out"};
inline constexpr DiagnosticKind kUnknownReference{
    "S222", Severity::warning, "record that refers to a name, kernel or process that the file does not have",
    "it has an empty name, or was left out if nothing says whose it is"};
inline constexpr DiagnosticKind kLongValue{"S223", Severity::warning, "text or BLOB of more than 64 MiB",
                                           "it was left out of its row"};
inline constexpr DiagnosticKind kSalvaged{"S224", Severity::warning,
                                          "a table is damaged; only rows before the damage were read",
                                          "copy the database again if you can"};
inline constexpr DiagnosticKind kRanksGuessed{
    "S225", Severity::note, "nothing says which ranks the processes are",
    "numbered by their process ids; ncclCommInitRank, recorded with its arguments, would say it"};

}  // namespace orrery::rocprof

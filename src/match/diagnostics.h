// Remarks made while communication is put together. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::match {

inline constexpr DiagnosticKind kUnknownGroup{"L229", Severity::warning, "process group whose ranks were not recorded",
                                              "collectives of it are taken to be of all ranks"};
inline constexpr DiagnosticKind kGroupInferred{
    "L230", Severity::note, "process group of a collective inferred from the threads that did it",
    "each group has threads of its own, and its members do the same in the same order"};
inline constexpr DiagnosticKind kGroupNameReused{
    "L231", Severity::note, "process group name that stands for different members on different ranks",
    "the groups are told apart by their members"};
inline constexpr DiagnosticKind kGroupUnclear{"L232", Severity::warning,
                                              "collectives that could be of several process groups",
                                              "they were not matched: the thread that asked for them did them itself"};
inline constexpr DiagnosticKind kOrderDisagrees{
    "L233", Severity::warning, "collectives of a process group whose ranks did not do the same in the same order",
    "kind or size differ, or a recording was cut; matched by the pattern of their times, if at all"};

}  // namespace orrery::match

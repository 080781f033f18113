// What can be wrong with a row of measurements between clocks. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::clock_sources {

inline constexpr DiagnosticKind kUnusableRow{"A701", Severity::warning, "row of a clock measurement that cannot be used",
                                             "it is no JSON object, lacks a number, or has one out of range; it was left out"};
inline constexpr DiagnosticKind kUnreachable{"A702", Severity::note, "offset of a round in which the node was not reached",
                                             "it was left out; the gap is bridged by its neighbours"};

}  // namespace orrery::clock_sources

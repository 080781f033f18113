// Reads measurements between clocks: JSON lines (plain or compressed) with probes, probe windows, offsets or snapshot
// pairs, and snapshot pairs as protobuf. docs/formats/clock_sources.md shows a row of each.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/clock_sources.h"

namespace orrery::clock_sources {

// What can be wrong with a row of measurements between clocks. Codes are listed in docs/DIAGNOSTICS.md.

inline constexpr DiagnosticKind kUnusableRow{
    "A701", Severity::warning, "row of a clock measurement that cannot be used",
    "it is no JSON object, lacks a number, or has one out of range; it was left out"};
inline constexpr DiagnosticKind kUnreachable{"A702", Severity::note,
                                             "offset of a round in which the node was not reached",
                                             "it was left out; the gap is bridged by its neighbours"};

enum class Kind : unsigned char { probes, probe_windows, offsets, snapshots };

/// Appends what the file has to `into`. A row that cannot be used is counted; a file without a usable row is an Error.
Status read(const std::string& path, Kind kind, trace::ClockSources& into, Diagnostics& diagnostics);

}  // namespace orrery::clock_sources

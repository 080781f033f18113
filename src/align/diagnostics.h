// Remarks of clock alignment. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::align {

inline constexpr DiagnosticKind kNoTraceOfNode{"A711", Severity::warning, "clock measurement of a node that has no trace here",
                                               "it was left out; are all files of the run given?"};
inline constexpr DiagnosticKind kUncalibrated{
    "A712", Severity::warning, "node that no measurement and no collective connects to the reference", "its times are as recorded"};
inline constexpr DiagnosticKind kClockStep{"A713", Severity::warning, "clock that was set while the job ran", "the map is split there"};
inline constexpr DiagnosticKind kNoTracerSnapshots{"A714", Severity::note, "node with device lines but no snapshot pairs",
                                                   "its device clock is taken to be its host clock"};
inline constexpr DiagnosticKind kAmbiguousCollectives{
    "A715", Severity::note, "collectives with one name and number but different counts per node", "they were not used"};
inline constexpr DiagnosticKind kUnansweredWindow{"A751", Severity::note, "window of probes of which none was answered",
                                                  "it was left out; the gap is bridged by its neighbours"};
inline constexpr DiagnosticKind kWildWindow{"A752", Severity::warning, "window of probes with a rate beyond 1000 ppm",
                                            "it was left out: no clock runs like that, but one that was set in the window looks so"};
inline constexpr DiagnosticKind kRepeatedMeasurement{"A753", Severity::note, "clock measurement that is there twice",
                                                     "it counts once; was a file named twice?"};
inline constexpr DiagnosticKind kNotMeasured{"A754", Severity::warning, "node that the clock measurements do not reach",
                                             "its clock is known from collectives alone, less exactly"};
inline constexpr DiagnosticKind kFarClock{"A755", Severity::warning, "clock that is more than 26 days away from the reference's",
                                          "it was never set; its times are moved to the others' by what connects them"};

}  // namespace orrery::align

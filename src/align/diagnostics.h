// Remarks of clock alignment. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::align {

inline constexpr DiagnosticKind kNoTraceOfNode{"A711", Severity::note, "node that measurements know and no trace is of",
                                               "its clock can only connect others; are all files of the run given?"};
inline constexpr DiagnosticKind kUncalibrated{"A712", Severity::warning,
                                              "node that no measurement and no collective connects to the reference",
                                              "its times are as recorded"};
inline constexpr DiagnosticKind kClockStep{"A713", Severity::warning, "clock that was set while the job ran",
                                           "the map is split there"};
inline constexpr DiagnosticKind kNoTracerSnapshots{"A714", Severity::note,
                                                   "node with device lines but no snapshot pairs",
                                                   "its device clock is taken to be its host clock"};
inline constexpr DiagnosticKind kAmbiguousCollectives{
    "A715", Severity::note, "collectives with one name and number but different counts per node", "they were not used"};
inline constexpr DiagnosticKind kUnansweredWindow{"A751", Severity::note, "window of probes of which none was answered",
                                                  "it was left out; the gap is bridged by its neighbours"};
inline constexpr DiagnosticKind kWildWindow{
    "A752", Severity::warning, "window of probes with a rate beyond 1000 ppm",
    "it was left out: no clock runs like that, but one that was set in the window looks so"};
inline constexpr DiagnosticKind kRepeatedMeasurement{"A753", Severity::note, "clock measurement that is there twice",
                                                     "it counts once; was a file named twice?"};
inline constexpr DiagnosticKind kNotMeasured{"A754", Severity::warning, "node that the clock measurements do not reach",
                                             "its clock is known from collectives alone, less exactly"};
inline constexpr DiagnosticKind kFarClock{"A755", Severity::warning,
                                          "clock that is more than 26 days away from the reference's",
                                          "it was never set; its times are moved to the others' by what connects them"};

inline constexpr DiagnosticKind kMispaired{
    "A741", Severity::warning, "collective that would have to come before itself",
    "its events on several nodes are not the same collective, or a clock was set back; it was set apart"};
inline constexpr DiagnosticKind kUnclearPattern{
    "A742", Severity::note, "collectives without a number whose pattern fits in several ways or none",
    "they were not used; a sequence number or run id would tell them apart"};
inline constexpr DiagnosticKind kRootUnknown{"A743", Severity::note,
                                             "broadcasts or reductions whose root is not recorded",
                                             "they were not held to happens-before"};
inline constexpr DiagnosticKind kPeersUnknown{"A744", Severity::note,
                                              "permutations or messages that do not say who waits for whom",
                                              "they were not held to happens-before"};
inline constexpr DiagnosticKind kAmbiguousMessages{
    "A745", Severity::note, "sends and receives of one channel with different counts and no numbers",
    "they were not held to happens-before"};
inline constexpr DiagnosticKind kPairedByPattern{"A746", Severity::note,
                                                 "collectives without a number, matched by the pattern of their times",
                                                 "they are used like the others"};
inline constexpr DiagnosticKind kBentClock{"A747", Severity::warning, "times pushed by the logical clock",
                                           "that nothing is violated now proves nothing: see the shift it cost"};
inline constexpr DiagnosticKind kNoExtent{"A748", Severity::note, "collectives that do not end after they start",
                                          "they were not used"};
inline constexpr DiagnosticKind kWildMeasurement{
    "A756", Severity::warning, "clock measurement by which two clocks are weeks apart", "it was left out"};

}  // namespace orrery::align

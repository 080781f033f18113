// What can be wrong with an XSpace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::xspace {

inline constexpr DiagnosticKind kNoStartTime{
    "X601", Severity::warning, "the file does not say when its recording started",
    "written by an old profiler; its times count from an unknown moment, taken as Unix time 0"};
inline constexpr DiagnosticKind kUntimedEvent{"X602", Severity::note,
                                              "aggregated event (num_occurrences) without a time",
                                              "passed over by analyses, kept by rewriting"};
inline constexpr DiagnosticKind kUnusableTime{
    "X603", Severity::warning, "event more than 26 days away from the start of the recording", "it was left out"};
inline constexpr DiagnosticKind kNegativeDuration{"X604", Severity::warning, "event with a negative duration",
                                                  "analyses treat it as zero"};
inline constexpr DiagnosticKind kNamelessEvent{"X605", Severity::note, "event whose metadata is missing",
                                               "kept, with its number as its name"};
inline constexpr DiagnosticKind kRankGuessed{
    "X606", Severity::note, "the names of the files do not number the nodes",
    "numbered by their place among the files; name them node0.xplane.pb, node1.xplane.pb, ..."};
inline constexpr DiagnosticKind kProfilerComplained{"X607", Severity::warning,
                                                    "the profiler recorded an error or a warning of its own",
                                                    "the recording may be incomplete"};
inline constexpr DiagnosticKind kInvalidUtf8{"X608", Severity::note, "name is not valid UTF-8",
                                             "kept; shown with U+FFFD in place of the bad bytes"};
inline constexpr DiagnosticKind kSalvaged{"X609", Severity::warning,
                                          "the file is damaged; only whole planes before the damage were read",
                                          "copy the file again if you can"};

}  // namespace orrery::xspace

// What can be odd about dumps of the Flight Recorder.
#pragma once

#include "base/diagnostics.h"

namespace orrery::flight_recorder {

inline constexpr DiagnosticKind kNoRecord{"F201", Severity::warning, "dump: entry without a name, a group or a time",
                                          "it was left out"};
inline constexpr DiagnosticKind kFarEntry{"F202", Severity::warning,
                                          "dump: entry more than 26 days away from the first", "it was left out"};
inline constexpr DiagnosticKind kDumpMissing{"F203", Severity::warning, "rank of the job without a dump",
                                             "it ended, or could not write one any more; hang counts it as gone"};
inline constexpr DiagnosticKind kEmptyDump{"F204", Severity::warning, "dump without any content",
                                           "nothing is known of its rank"};
inline constexpr DiagnosticKind kRankUnknown{"F205", Severity::note, "the name of a dump does not say its rank",
                                             "numbered by its place among the files; name them nccl_trace_rank_0, ..."};
inline constexpr DiagnosticKind kEndEstimated{
    "F206", Severity::note, "call of a host backend, of which no end is recorded",
    "it is taken to end when the last member has come, at most with the next call of its rank"};
inline constexpr DiagnosticKind kWatchdogTimes{
    "F207", Severity::note, "device work whose times are those at which the watchdog looked",
    "they are up to 100 ms late; TORCH_NCCL_ENABLE_TIMING=1 records durations"};

}  // namespace orrery::flight_recorder

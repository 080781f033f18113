// What can be wrong with a record of a Kineto trace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::kineto {

inline constexpr DiagnosticKind kMissingTime{"K102", Severity::warning, "event without a time stamp",
                                             "it was left out"};
inline constexpr DiagnosticKind kUnusableTime{
    "K103", Severity::warning, "time stamp or duration is not a usable number",
    "NaN, text, or more than 26 days away from the first event; the event was left out"};
inline constexpr DiagnosticKind kNegativeDuration{
    "K104", Severity::warning, "negative duration",
    "analyses treat it as zero; profilers write these when clocks are corrected mid-run"};
inline constexpr DiagnosticKind kNoDuration{"K105", Severity::note, "complete event (ph X) without a duration",
                                            "treated as an instant"};
inline constexpr DiagnosticKind kInvalidUtf8{"K106", Severity::note, "text is not valid UTF-8",
                                             "kept; shown with U+FFFD in place of the bad bytes"};
inline constexpr DiagnosticKind kSubPicosecond{"K107", Severity::note, "time stamp with digits below a picosecond",
                                               "those digits were dropped"};
inline constexpr DiagnosticKind kUnmatchedPair{
    "K108", Severity::warning, "begin or end event (ph B, E; b, e) without its partner", "treated as an instant"};
inline constexpr DiagnosticKind kNotAnObject{"K109", Severity::warning, "entry of the event list is not an object",
                                             "it was left out"};
inline constexpr DiagnosticKind kUnknownPhase{"K110", Severity::note, "event of an unknown phase",
                                              "kept as an instant"};
inline constexpr DiagnosticKind kTrailingText{"K111", Severity::warning, "text after the end of the document",
                                              "it was not read; were two files joined?"};
inline constexpr DiagnosticKind kTooManyCategories{"K112", Severity::warning, "more than 65,000 distinct categories",
                                                   "further ones count as unknown"};
inline constexpr DiagnosticKind kRankGuessed{"K113", Severity::note, "the file does not say which rank it is",
                                             "numbered by a rank3 in its name, or by its place among the files"};
inline constexpr DiagnosticKind kDuplicateRank{"K114", Severity::warning, "two files say they are the same rank",
                                               "both are kept; check that they belong to one job"};
inline constexpr DiagnosticKind kSalvaged{"K115", Severity::warning,
                                          "the file is damaged; only what comes before the damage was read",
                                          "copy the file again if you can"};
inline constexpr DiagnosticKind kLargeProperty{"K116", Severity::note, "top-level value larger than 1 MiB",
                                               "it was not kept"};
inline constexpr DiagnosticKind kLegacyAutograd{
    "K117", Severity::note, "trace of torch.autograd.profiler without Kineto",
    "it has operators, and at most times of kernels; torch.profiler records launches and streams"};

}  // namespace orrery::kineto

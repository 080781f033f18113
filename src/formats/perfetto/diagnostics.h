// What can be wrong with a Perfetto trace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::perfetto {

inline constexpr DiagnosticKind kLostState{
    "S251", Severity::warning, "packet that needs names which were lost before it",
    "left out, as all of its writer until the names are sent again; the recorder's buffer was too small"};
inline constexpr DiagnosticKind kUnknownNumber{"S252", Severity::warning, "number of a text that nobody defined",
                                               "taken as an empty text; packets may be missing"};
inline constexpr DiagnosticKind kNoTime{
    "S253", Severity::warning, "packet without a time, or more than 26 days away from the first", "it was left out"};
inline constexpr DiagnosticKind kEndWithoutBegin{"S254", Severity::warning, "end of a slice that was not begun",
                                                 "it was left out; the recording may have begun later"};
inline constexpr DiagnosticKind kBeginWithoutEnd{"S255", Severity::note, "slice that was begun and not ended",
                                                 "treated as an instant"};
inline constexpr DiagnosticKind kUnknownClock{"S256", Severity::note, "clock that no snapshot ties to another one",
                                              "its times are taken as they are"};
inline constexpr DiagnosticKind kDeepArgument{"S257", Severity::warning, "argument nested more than 64 times",
                                              "what lies deeper was left out"};
inline constexpr DiagnosticKind kPerfettoSalvaged{"S258", Severity::warning,
                                                  "the trace is damaged; only what comes before the damage was read",
                                                  "copy the file again if you can"};
inline constexpr DiagnosticKind kPerfettoRankGuessed{
    "S259", Severity::note, "the trace does not say which rank it is",
    "numbered by a rank3 in its name, or by its place among the files"};
inline constexpr DiagnosticKind kProcessOfNoRank{"S260", Severity::note,
                                                 "process of no rank beside processes that are called rank N",
                                                 "what it did was given to the lowest rank"};
inline constexpr DiagnosticKind kDamagedPacket{"S261", Severity::warning, "packet whose content is damaged",
                                               "what comes before the damage was used"};

}  // namespace orrery::perfetto

// What can be wrong with a log of NCCL's Inspector. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::nccl_inspector {

inline constexpr DiagnosticKind kRecordWithoutHeader{
    "S271", Severity::warning, "record without a header, and behind no marker of a dump that has one",
    "it was left out: which communicator it is of is not known"};
inline constexpr DiagnosticKind kUnusableLine{"S272", Severity::warning, "line that is no record of the Inspector",
                                              "it was left out"};
inline constexpr DiagnosticKind kDroppedRecords{"S273", Severity::warning, "record that the Inspector itself dropped",
                                                "its ring was full; those collectives are incomplete. Dump more often"};
inline constexpr DiagnosticKind kRelativeTimes{"S274", Severity::note, "the log has lengths and no times",
                                               "kernels of one collective end together, which tells who waited for "
                                               "whom; set NCCL_INSPECTOR_DUMP_VERBOSE=1 for times"};
inline constexpr DiagnosticKind kInspectorRankGuessed{
    "S275", Severity::note, "no communicator of all processes tells their ranks", "numbered by host and process"};
inline constexpr DiagnosticKind kUntimedRecord{"S276", Severity::warning,
                                               "record without times beside others with them", "it was left out"};

}  // namespace orrery::nccl_inspector

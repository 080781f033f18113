// What can be wrong with an export of Nsight Systems. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::nsys {

inline constexpr DiagnosticKind kUnusableRow{
    "S201", Severity::warning, "row whose times are no integers, end before they start, or are more than 26 days away",
    "it was left out"};
inline constexpr DiagnosticKind kUnknownText{"S202", Severity::warning, "text by a number that StringIds does not have",
                                             "the event has an empty name; was the table cut?"};
inline constexpr DiagnosticKind kLongValue{"S203", Severity::warning, "text or BLOB of more than 64 MiB",
                                           "it was left out of its row"};
inline constexpr DiagnosticKind kSalvaged{"S204", Severity::warning,
                                          "a table is damaged; only rows before the damage were read",
                                          "export the report again if you can"};
inline constexpr DiagnosticKind kOpenRange{"S205", Severity::note, "NVTX range without an end",
                                           "kept as an instant: it was open when the recording ended"};
inline constexpr DiagnosticKind kNoSchema{"S206", Severity::warning, "NVTX payload that no schema describes",
                                          "its arguments were left out"};
inline constexpr DiagnosticKind kNoPayloads{
    "S207", Severity::note, "NCCL calls were exported without their arguments",
    "collectives are joined by their order and times; nsys export --include-blobs=true has communicators and sizes"};
inline constexpr DiagnosticKind kWholeGraph{"S208", Severity::note,
                                            "replay of a CUDA graph that was recorded as one piece of work",
                                            "nsys profile --cuda-graph-trace=node records the kernels in it"};
inline constexpr DiagnosticKind kNoProcess{"S209", Severity::warning, "row that does not say which process it is of",
                                           "taken to be of the only process, or of that with the lowest number"};
inline constexpr DiagnosticKind kNoStart{"S210", Severity::note, "the export does not say when the recording began",
                                         "times count from an unknown moment, taken as Unix time 0"};
inline constexpr DiagnosticKind kRanksGuessed{
    "S211", Severity::note, "nothing says which ranks the processes of the export are",
    "numbered by their process ids; NCCL's ncclCommInitRank, recorded with its arguments, would say it"};
inline constexpr DiagnosticKind kOtherProcess{"S212", Severity::note,
                                              "range of a process that never used CUDA in the recording",
                                              "it was left out: such processes are no ranks"};

}  // namespace orrery::nsys

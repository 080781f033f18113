// What can be wrong with a recording of liborrery_mpi. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::mpitrace {

inline constexpr DiagnosticKind kCut{"I840", Severity::warning, "the file ends in the middle of a block",
                                     "its program died or its disk was full; everything before the cut was read"};
inline constexpr DiagnosticKind kNotFinished{"I841", Severity::warning, "the rank did not reach MPI_Finalize",
                                             "its last calls may be missing, and messages of others to it unmatched"};
inline constexpr DiagnosticKind kSalvaged{"I842", Severity::warning,
                                          "the file is damaged; only what stands before the damage was read",
                                          "copy the file again if you can"};
inline constexpr DiagnosticKind kRanksMissing{"I843", Severity::warning, "rank of the job without a file",
                                              "messages with it and collectives it takes part in are incomplete"};
inline constexpr DiagnosticKind kUnusableTime{
    "I844", Severity::warning, "call more than 26 days away from the start of the recording", "it was left out"};
inline constexpr DiagnosticKind kUnknownRecord{"I845", Severity::note,
                                               "record of a kind that this version does not know",
                                               "it was passed over; a newer tracer wrote it"};
inline constexpr DiagnosticKind kUnseenRequest{
    "I846", Severity::note, "completed request whose beginning was not recorded",
    "begun while the recording was off, or by a function that is not recorded"};
inline constexpr DiagnosticKind kFoundCommunicator{
    "I847", Severity::note, "communicator that was made where the tracer could not see it",
    "named by its members; two of the same members may be taken for one another"};
inline constexpr DiagnosticKind kFailedCall{"I848", Severity::warning, "call that MPI reports as failed",
                                            "its arguments are not known; it is kept as a call that took time"};
inline constexpr DiagnosticKind kForeignPeer{
    "I849", Severity::note, "message with a process of another MPI job",
    "spawned or connected processes are not recorded; the message stays unmatched"};

}  // namespace orrery::mpitrace

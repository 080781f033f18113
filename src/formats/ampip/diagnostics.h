// What can be odd about an A-mpiP trace and the report beside it. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::ampip {

inline constexpr DiagnosticKind kForeignLine{
    "I801", Severity::warning, "line of an A-mpiP trace that is no record",
    "it was left out; a trace that went to the terminal has the program's own lines in it"};
inline constexpr DiagnosticKind kUnknownFunction{"I802", Severity::warning, "function that MPI does not have",
                                                 "kept as a call that communicates with nobody"};
inline constexpr DiagnosticKind kBrokenChain{
    "I803", Severity::warning, "record that does not follow the one before it",
    "the callsite it comes from is not where the one before it went; are records missing?"};
inline constexpr DiagnosticKind kNegativeDelta{"I804", Severity::warning, "record with a negative time",
                                               "taken as zero"};
inline constexpr DiagnosticKind kNoReport{
    "I805", Severity::warning, "A-mpiP trace without the report (.mpiP) of its run",
    "how long calls took is not known: each is a moment, and its time counts as computing before it"};
inline constexpr DiagnosticKind kBadReport{"I806", Severity::warning, "mpiP report that cannot be used",
                                           "it was not used"};
inline constexpr DiagnosticKind kSeveralReports{"I807", Severity::warning, "several mpiP reports beside the traces",
                                                "none was used; leave the one of this run"};
inline constexpr DiagnosticKind kSiteNotFound{"I808", Severity::warning,
                                              "callsite of a trace that the report does not have",
                                              "its calls are moments; is the report of the same run?"};
inline constexpr DiagnosticKind kSiteWithoutStack{
    "I809", Severity::warning, "callsite of which the report knows no place in the program",
    "it cannot be told on which ranks it is the same; run with setarch -R, or link with -no-pie"};
inline constexpr DiagnosticKind kEstimatedTimes{
    "I810", Severity::note, "call whose time was estimated",
    "the trace has the time since the call before; of it the report says how much is MPI's, in the mean"};
inline constexpr DiagnosticKind kWithoutCollectives{"I811", Severity::warning,
                                                    "A-mpiP trace of 2023, which leaves out collectives",
                                                    "their time counts as computing before the next call"};
inline constexpr DiagnosticKind kNotAMember{
    "I812", Severity::warning, "collective whose communicator does not list its own rank",
    "it is a call without a communicator; does the file carry the right rank in its name?"};
inline constexpr DiagnosticKind kRankGuessed{
    "I813", Severity::note, "the name of a trace does not say its rank",
    "numbered by its place among the files; A-mpiP -A names them trace_0, trace_1, ..."};
inline constexpr DiagnosticKind kRanksMissing{"I814", Severity::warning, "rank of the job without a trace",
                                              "what it did with the others is not known; trace all ranks with -A"};
inline constexpr DiagnosticKind kSalvaged{"I815", Severity::warning,
                                          "the trace is damaged; only the records before the damage were read",
                                          "copy the file again if you can"};
inline constexpr DiagnosticKind kFewerCalls{"I816", Severity::warning,
                                            "rank with fewer calls in its trace than in the report",
                                            "the trace was cut short; what follows is not known"};

}  // namespace orrery::ampip

// Remarks made while turning a trace into a graph. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::causal {

inline constexpr DiagnosticKind kWorkWithoutCall{"L201", Severity::note, "device work without a recorded launch",
                                                 "its start is explained by the order on its stream alone"};
inline constexpr DiagnosticKind kWorkBeforeCall{"L202", Severity::warning,
                                                "device work starts before the call that launched it",
                                                "host and device clocks disagree; the launch was not used as a cause"};
inline constexpr DiagnosticKind kNoSyncEvents{
    "L203", Severity::note, "no recorded synchronisation (cuda_sync) in the trace",
    "waits were inferred from blocking calls and stream order; record with enable_cuda_sync_events for certainty"};
inline constexpr DiagnosticKind kTooManyThreads{
    "L240", Severity::warning, "pause of a thread that was not compared with the work of all others",
    "there are too many busy threads; the pause counts as the thread's own"};
inline constexpr DiagnosticKind kWaitWithoutSource{
    "L204", Severity::note, "recorded wait that does not say which event it waits for",
    "CUDA 12.9 and later leave it out; taken to be the thread's last cudaEventRecord"};

// Remarks made while linking with a host trace.
inline constexpr DiagnosticKind kDependencyAgainstTime{"L221", Severity::warning,
                                                       "inferred dependency that leads back in recorded time",
                                                       "it was left out, so that the graph has no cycle"};
inline constexpr DiagnosticKind kNoHostTrace{
    "L222", Severity::note, "no host trace",
    "the graph has no tensors and shapes; record one with torch.profiler.ExecutionTraceObserver"};
inline constexpr DiagnosticKind kRowsNotFound{"L223", Severity::note,
                                              "operator of the host trace that the profiler did not record",
                                              "it has no times and is not in the graph"};
inline constexpr DiagnosticKind kOtherProcess{"L224", Severity::warning,
                                              "host trace and profiler trace name different processes",
                                              "check that they are of the same rank and run"};
inline constexpr DiagnosticKind kUnknownCommunication{"L225", Severity::warning,
                                                      "communication whose kind was not recorded",
                                                      "kept as a computation of the recorded length"};
inline constexpr DiagnosticKind kCollectiveWithoutSize{"L226", Severity::warning,
                                                       "collective or message whose size was not recorded",
                                                       "it has 0 bytes; link with the host trace of the run"};
inline constexpr DiagnosticKind kGroupNotRecorded{
    "L227", Severity::note, "collective whose process group was not recorded", "taken to be of all ranks"};
inline constexpr DiagnosticKind kMessageWithoutPeer{
    "L228", Severity::warning, "message whose other rank was not recorded",
    "kept as a computation of the recorded length; link with the host trace of the run"};

// Remarks made while linking the calls of an MPI job.
inline constexpr DiagnosticKind kMpiUnknownPartners{"I850", Severity::note,
                                                    "call of MPI that waits for ranks that the trace does not name",
                                                    "its recorded time is kept, as computing"};
inline constexpr DiagnosticKind kMpiRootUnknown{"I851", Severity::note, "collective whose root was not recorded",
                                                "the first member of its communicator is taken"};
inline constexpr DiagnosticKind kMpiElementAssumed{
    "I852", Severity::warning, "collective that counts elements of unknown size", "taken to have 8 bytes each"};
inline constexpr DiagnosticKind kMpiCompletionAssumed{
    "I853", Severity::note, "request whose completion was not recorded",
    "MPI_Waitall completes all that are open, other waits the oldest"};
inline constexpr DiagnosticKind kMpiNeverCompleted{"I854", Severity::warning, "request that no recorded call completed",
                                                   "nobody waits for it"};
inline constexpr DiagnosticKind kMpiSourceInferred{
    "I855", Severity::note, "receive whose source was inferred",
    "by callsite and order, or since only one rank sends there; docs/formats/mpi.md has the rules"};
inline constexpr DiagnosticKind kMpiSourceUnknown{"I856", Severity::warning, "receive whose source was not recorded",
                                                  "its rank takes all its messages as they come"};
inline constexpr DiagnosticKind kMpiAnyTag{"I857", Severity::warning,
                                           "receive of any tag, where messages of several communicators come",
                                           "it takes the first that comes, of whichever communicator"};

// Remarks made while the ranks of a job are joined.
inline constexpr DiagnosticKind kRankWithoutFile{"J801", Severity::warning, "rank of the job without a file",
                                                 "what it delayed cannot be told from transfers"};
inline constexpr DiagnosticKind kAbsentMembers{"J802", Severity::warning,
                                               "communication with members that are not there",
                                               "those that are there wait for one another only"};
inline constexpr DiagnosticKind kContradictingArrival{
    "J803", Severity::warning, "arrival later than the end of what would have waited for it",
    "it was not used; clocks disagree (try --clock align), or what was put together does not belong together"};
inline constexpr DiagnosticKind kNoPartners{"J806", Severity::warning, "communication without partners in the window",
                                            "it counts as the rank's own work, waiting included"};

}  // namespace orrery::causal

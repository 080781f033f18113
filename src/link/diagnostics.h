// Remarks made while turning a trace into a graph. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::link {

inline constexpr DiagnosticKind kWorkWithoutCall{"L201", Severity::note, "device work without a recorded launch",
                                                 "its start is explained by the order on its stream alone"};
inline constexpr DiagnosticKind kWorkBeforeCall{"L202", Severity::warning, "device work starts before the call that launched it",
                                                "host and device clocks disagree; the launch was not used as a cause"};
inline constexpr DiagnosticKind kNoSyncEvents{
    "L203", Severity::note, "no recorded synchronisation (cuda_sync) in the trace",
    "waits were inferred from blocking calls and stream order; record with enable_cuda_sync_events for certainty"};
inline constexpr DiagnosticKind kWaitWithoutSource{"L204", Severity::note, "recorded wait that does not say which event it waits for",
                                                   "CUDA 12.9 and later leave it out; taken to be the thread's last cudaEventRecord"};

}  // namespace orrery::link

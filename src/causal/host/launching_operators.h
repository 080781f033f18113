// The operator that launched each piece of device work, for those who ask for nothing else: operator_index has it for
// every event, and takes longer.
#pragma once

#include <vector>

#include "causal/device/device_timeline.h"

namespace orrery::causal {

/// Per work of the timeline: the innermost operator (a framework's, or a collective that the host does) around its
/// call, on the call's thread; kNoEvent where there is none or the call was not recorded. O(events) where a thread's
/// operators are recorded in order of start, else O(events log events). `around`, if given, becomes, per event of the
/// rank, the operator around an operator; kNoEvent for the outermost, for those that begin after the last launch of
/// their thread, and for what is no operator.
std::vector<trace::EventIndex> launching_operators(const trace::Trace& trace, const trace::RankTrace& rank,
                                                   const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                                   std::vector<trace::EventIndex>* around = nullptr);

}  // namespace orrery::causal

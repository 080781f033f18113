// A Trace once more: for whoever changes a trace that others go on using.
#pragma once

#include "trace/trace.h"

namespace orrery::trace {

/// Texts keep their numbers. O(bytes of the trace).
Trace copy_of(const Trace& trace);
RankTrace copy_of(const RankTrace& rank);

}  // namespace orrery::trace

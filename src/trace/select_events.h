// A part of what a rank recorded.
#pragma once

#include <span>

#include "trace/trace.h"

namespace orrery::trace {

// A Trace once more: for whoever changes a trace that others go on using.

/// Texts keep their numbers. O(bytes of the trace).
Trace copy_of(const Trace& trace);
RankTrace copy_of(const RankTrace& rank);

/// The rank with the events for which `is_kept`, by event, is not 0, in their order, with all their arguments; lanes,
/// categories and what the file says about itself stay as they are, and so do the numbers of texts. Without flows.
/// O(events + arguments).
RankTrace select_events(const RankTrace& rank, std::span<const std::uint8_t> is_kept);

}  // namespace orrery::trace

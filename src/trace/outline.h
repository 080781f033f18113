// A rank without its events: what joining ranks needs of one that was asked where it was read.
#pragma once

#include "trace/trace.h"

namespace orrery::trace {

/// All that is known of the rank as a whole. In place of its events it has one, without a name, from the first moment
/// to the last, so that it gets the same place on the job's clock; none if it has no times. It has no texts.
RankTrace outline_of(const RankTrace& rank);

}  // namespace orrery::trace

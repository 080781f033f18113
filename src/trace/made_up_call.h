// A launch that nobody recorded.
#pragma once

#include "base/units.h"

namespace orrery::trace {

/// What a launch call takes that ties device work of a program without calls of the host to where it would have been
/// launched: less than any recorder can tell from nothing, so that such a call is known wherever its trace goes.
inline constexpr TimePs kMadeUpCallPs = 1;

}  // namespace orrery::trace

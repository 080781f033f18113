// What the members of a Kineto document outside the event list say: rank, devices, base time.
#pragma once

#include "trace/trace.h"

namespace orrery::kineto {

/// Fills the typed members of `source` from the raw `source.properties` and drops those that were understood. Malformed values are left as
/// they are: nothing depends on them.
void interpret_properties(trace::SourceInfo& source);

}  // namespace orrery::kineto

// What the members of a Kineto document outside the event list say: rank, devices, base time.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace orrery::kineto {

/// Whether interpret_properties looks at the member of this name.
bool has_meaning(std::string_view key);

/// Fills the typed members of `source` from the raw `source.properties` and drops those that were understood. Malformed
/// values are left as they are: nothing depends on them.
void interpret_properties(trace::SourceInfo& source);

}  // namespace orrery::kineto

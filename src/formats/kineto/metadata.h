// What the members of a Kineto document outside the event list say: rank, devices, base time.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace orrery::kineto {

// Whose profile a file is, as its name says.

/// The host in the name that PyTorch's tensorboard_trace_handler gives, "HOST_PID.TIME.pt.trace.json" (also .gz and
/// .zst): empty if it is another name. Nothing inside a Kineto file says on which host it was recorded.
std::string_view host_in_name(std::string_view path);

/// Whether interpret_properties looks at the member of this name.
bool has_meaning(std::string_view key);

/// Fills the typed members of `source` from the raw `source.properties` and drops those that were understood. Malformed
/// values are left as they are: nothing depends on them.
void interpret_properties(trace::SourceInfo& source);

}  // namespace orrery::kineto

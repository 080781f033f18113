// Whose profile a file is, as its name says.
#pragma once

#include <string_view>

namespace orrery::kineto {

/// The host in the name that PyTorch's tensorboard_trace_handler gives, "HOST_PID.TIME.pt.trace.json" (also .gz and
/// .zst): empty if it is another name. Nothing inside a Kineto file says on which host it was recorded.
std::string_view host_in_name(std::string_view path);

}  // namespace orrery::kineto

// orrery replay --emit torch: the folder that runs a recorded job again.
#pragma once

#include "cli/frame/invocation.h"

namespace orrery::cli {

ExitCode emit_replay(Invocation& invocation);

}  // namespace orrery::cli

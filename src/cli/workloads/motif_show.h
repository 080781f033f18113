// orrery motif show.
#pragma once

#include "cli/frame/invocation.h"

namespace orrery::cli {

ExitCode run_motif_show(Invocation& invocation);

}  // namespace orrery::cli

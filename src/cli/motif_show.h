// orrery motif show.
#pragma once

#include "cli/invocation.h"

namespace orrery::cli {

ExitCode run_motif_show(Invocation& invocation);

}  // namespace orrery::cli

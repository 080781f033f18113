// orrery motif fit.
#pragma once

#include "cli/frame/invocation.h"

namespace orrery::cli {

ExitCode run_motif_fit(Invocation& invocation);

}  // namespace orrery::cli

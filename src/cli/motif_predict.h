// orrery motif predict and eval.
#pragma once

#include "cli/invocation.h"

namespace orrery::cli {

ExitCode run_motif_predict(Invocation& invocation);
ExitCode run_motif_eval(Invocation& invocation);

}  // namespace orrery::cli

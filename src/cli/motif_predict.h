// orrery motif predict and eval.
#pragma once

#include "cli/invocation.h"
#include "motif/motif.h"

namespace orrery::cli {

/// Says so if the run is far outside of what the motif was fitted to (S131).
void note_extrapolation(const motif::Motif& motif, const motif::RunParameters& run, Diagnostics& diagnostics);
ExitCode run_motif_predict(Invocation& invocation);
ExitCode run_motif_eval(Invocation& invocation);

}  // namespace orrery::cli

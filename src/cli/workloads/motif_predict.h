// orrery motif predict and eval.
#pragma once

#include <string>

#include "cli/frame/invocation.h"
#include "motif/motif.h"
#include "motif/predict.h"

namespace orrery::cli {

/// Says so if the run is far outside of what the motif was fitted to (S131).
void note_extrapolation(const motif::Motif& motif, const motif::RunParameters& run, Diagnostics& diagnostics);
/// "793 ms".
std::string motif_time_text(double us);
/// Which part of a prediction a simulated run has, and what it lies between, as sentences.
std::string simulated_words(const motif::Prediction& prediction);
ExitCode run_motif_predict(Invocation& invocation);
ExitCode run_motif_eval(Invocation& invocation);

}  // namespace orrery::cli

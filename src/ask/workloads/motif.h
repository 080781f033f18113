// Workloads learnt from traces of MPI programs: fitted, predicted at another scale, and shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ask/context.h"
#include "ask/fields.h"
#include "motif/motif.h"
#include "motif/predict.h"

namespace orrery::ask {

/// Learns a motif from runs at several scales.
struct MotifFitRequest {
  std::optional<std::string> manifest = {};  ///< the file that lists the runs
  std::optional<std::string> output = {};    ///< the motif
  std::optional<std::string> models = {};    ///< also the laws of the published files, whose names begin so
};
template <typename Visitor>
void fields(MotifFitRequest& request, Visitor&& visit) {
  visit("manifest", request.manifest);
  visit("output", request.output);
  visit("models", request.models);
}
Result<report::Answer> run(const MotifFitRequest& request, Context& context);

/// The run that is asked about.
struct MotifScale {
  std::optional<double> nodes = {};
  std::optional<double> size = {};
  double ranks_per_node = 1;
  /// Of the run. That the same flag bounds the workers of this process changes no result.
  std::optional<std::int64_t> threads = {};
};
template <typename Visitor>
void fields(MotifScale& scale, Visitor&& visit) {
  visit("nodes", scale.nodes);
  visit("size", scale.size);
  visit("ranks-per-node", scale.ranks_per_node);
  visit("threads", scale.threads);
}

/// Calls, bytes and time of a run.
struct MotifPredictRequest {
  std::string file = {};
  MotifScale scale = {};
};
template <typename Visitor>
void fields(MotifPredictRequest& request, Visitor&& visit) {
  fields(request.scale, visit);
}
Result<report::Answer> run(const MotifPredictRequest& request, Context& context);

/// Published model files, exactly as they are meant.
struct MotifEvalRequest {
  std::optional<std::string> exec = {};  ///< of the time between calls
  std::optional<std::string> msg = {};   ///< of message sizes
  MotifScale scale = {};
};
template <typename Visitor>
void fields(MotifEvalRequest& request, Visitor&& visit) {
  visit("exec", request.exec);
  visit("msg", request.msg);
  fields(request.scale, visit);
}
Result<report::Answer> run(const MotifEvalRequest& request, Context& context);

/// The control flow with counts, sizes and times.
struct MotifShowRequest {
  std::string file = {};
  std::optional<double> nodes = {}, size = {};  ///< none: the largest that the motif knows
  std::optional<std::string> manifest = {};     ///< runs to plot beside the fits
  std::optional<std::string> output = {};       ///< a drawing: FILE.svg an image, else for Graphviz
};
template <typename Visitor>
void fields(MotifShowRequest& request, Visitor&& visit) {
  visit("nodes", request.nodes);
  visit("size", request.size);
  visit("manifest", request.manifest);
  visit("output", request.output);
}
Result<report::Answer> run(const MotifShowRequest& request, Context& context);

// For whoever runs a motif.

/// Says so if the run is far outside of what the motif was fitted to (S131).
void note_extrapolation(const motif::Motif& motif, const motif::RunParameters& run, Diagnostics& diagnostics);
/// "793 ms".
std::string motif_time_text(double us);
/// Which part of a prediction a simulated run has, and what it lies between, as sentences.
std::string simulated_words(const motif::Prediction& prediction);

}  // namespace orrery::ask

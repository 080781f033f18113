// The text workloads of ASTRA-sim 1.0 as they are written: a mode, and layers with what they compute and communicate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::astra_text {

enum class Mode : std::uint8_t {
  micro,
  data,
  model,
  hybrid_data_model,
  hybrid_model_data,
  hybrid_dlrm,
  hybrid_dlrm_enhanced,
  hybrid_customized,
  transformer,
  transformer_checkpointed,  ///< HYBRID_TRANSFORMER_FWD_IN_BCKWD
  distributed_inference
};
/// "HYBRID_DLRM", as the first line has it.
std::string_view to_string(Mode mode);
std::optional<Mode> mode_called(std::string_view word);

/// One of the three things a layer does: forward, gradient of its input, gradient of its weights.
struct Work {
  std::int64_t compute_us = 0;
  std::string comm_type = {};  ///< "ALLREDUCE"; "NONE"
  std::int64_t comm_bytes = 0;
};

struct Layer {
  std::string name;
  Work forward, input_gradient, weight_gradient;
  std::optional<Mode> own_mode = {};  ///< of HYBRID_CUSTOMIZED: the 13th column
};

struct TextWorkload {
  std::string path;
  std::string text;  ///< the whole file, lines ending in \n
  Mode mode = Mode::data;
  std::int64_t stated_layers = 0;         ///< the second line; upstream does not hold the lines to it
  std::int64_t last_bottom_layer = -1;    ///< of DLRM
  std::int64_t model_ranks = 0;           ///< of transformers: how many ranks share a layer
  std::vector<std::int64_t> checkpoints;  ///< layers kept, from which others are computed again
  std::vector<std::int64_t> recomputing;  ///< layers before whose backward pass that happens
  std::vector<Layer> layers;
};

/// An Error names the line.
Result<TextWorkload> parse(std::string_view text, const std::string& path);
Result<TextWorkload> read(const std::string& path);

/// Whether a file that begins like this may be one: the name of a mode.
bool looks_like_text_workload(std::string_view first_bytes);

struct Options {
  std::size_t ranks = 1;
  std::size_t passes = 1;
};

/// What ASTRA-sim 1.0 does: computation in order; a collective that the mode waits for before anything else goes on;
/// gradients of weights that the next forward pass waits for. Collectives of type NONE are none. The dimensions or
/// groups of ranks that take part are given. Compute times are microseconds, as Chakra's converter has it. Ranks that
/// do the same share a program.
Result<workload::Workload> to_workload(const TextWorkload& text, const Options& options);

/// What chakra_converter Text 1.0.0 makes of it, node by node: numbers run on across ranks, NONE is an all-reduce of 0
/// bytes, all ranks take part in everything. An Error says on what the original stops; it knows seven of the modes.
Result<workload::Workload> to_chakra_workload(const TextWorkload& text, const Options& options);

}  // namespace orrery::astra_text

// Workloads to simulate, made of a few numbers and written as Chakra execution traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ask/context.h"
#include "ask/files/convert.h"
#include "base/result.h"

namespace orrery::ask {

struct GenerateRequest {
  std::string what = {};                   ///< one of generator_names()
  std::optional<std::string> output = {};  ///< the folder to write to
  std::optional<std::int64_t> ranks = {};  ///< none: 8; of a pipeline one copy of the model, of micro 64
  std::optional<std::int64_t> bytes = {};  ///< of a collective or message; of training the gradients of a layer
  std::int64_t repetitions = 1;            ///< of a collective or ping-pong
  std::int64_t layers = 24;                ///< of training
  double layer_us = 1000;                  ///< forward compute of a layer; backward takes twice that
  std::int64_t tensor_parallel = 1;        ///< ranks that share a layer
  // Of a pipeline.
  std::int64_t pipeline_parallel = 2;  ///< stages
  std::int64_t microbatches = 8;
  std::int64_t kernels_per_layer = 16;                ///< of the forward pass; backward has twice as many
  std::optional<std::int64_t> activation_bytes = {};  ///< of one microbatch
  std::int64_t steps = 1;
  bool recipe = false;       ///< how to make it, instead of a file per rank
  std::int64_t seed = 1;     ///< of a random permutation
  bool like_chakra = false;  ///< what Chakra's generator makes, byte for byte
  // Chakra's own.
  std::optional<std::int64_t> default_runtime_us = {};
  std::optional<std::int64_t> default_tensor_bytes = {};
  std::optional<std::int64_t> default_comm_bytes = {};
};
template <typename Visitor>
void fields(GenerateRequest& request, Visitor&& visit) {
  visit("output", request.output);
  visit("ranks", request.ranks);
  visit("num-npus", request.ranks);  // as Chakra's generator has it
  visit("num_npus", request.ranks);
  visit("bytes", request.bytes);
  visit("repetitions", request.repetitions);
  visit("layers", request.layers);
  visit("layer-us", request.layer_us);
  visit("tensor-parallel", request.tensor_parallel);
  visit("pipeline-parallel", request.pipeline_parallel);
  visit("microbatches", request.microbatches);
  visit("kernels-per-layer", request.kernels_per_layer);
  visit("activation-bytes", request.activation_bytes);
  visit("steps", request.steps);
  visit("recipe", request.recipe);
  visit("seed", request.seed);
  visit("compat", choice(request.like_chakra, kLikeChakraWords));
  visit("default_runtime", request.default_runtime_us);
  visit("default_tensor_size", request.default_tensor_bytes);
  visit("default_comm_size", request.default_comm_bytes);
}

/// What can be made, separated by blanks.
std::string_view generator_names();

Result<report::Answer> run(const GenerateRequest& request, Context& context);

}  // namespace orrery::ask

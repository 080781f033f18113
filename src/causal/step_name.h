// What the name of a step says: serving engines write phase, batch and tokens of each step into its annotation.
//
//     execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)   vLLM
//     execute_context_1(888_788544)_generation_0(0)                                                          vLLM
//     step[EXTEND bs=15 toks=15360]                                                                          SGLang
//     decode[bs=117/128 tok=117 d=117]                                                                       ATOM
//     [Executor] _forward_step 413: 2 ctx reqs, 8192 ctx tokens, 61 gen reqs                         TensorRT-LLM
//     execute_diffusion_1_256x256                                                                             xDiT
//
// docs/INFERENCE.md has the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace orrery::causal {

enum class StepPhase : std::uint8_t {
  prefill,  ///< context requests only
  decode,   ///< generation requests only
  mixed,
  idle,  ///< no requests
  diffusion,
  other,  ///< a mode of the engine that is none of these
};
const char* identifier(StepPhase phase);  ///< "prefill"

/// What is not said, and does not follow from what is, has no value. Context requests read their prompts, generation
/// requests go on from what they have; kv tokens are those that attention looks back at.
struct StepName {
  std::string engine = {};
  StepPhase phase = StepPhase::other;
  std::optional<std::int64_t> requests = {};
  std::optional<std::int64_t> tokens = {};
  std::optional<std::int64_t> context_requests = {};
  std::optional<std::int64_t> generation_requests = {};
  std::optional<std::int64_t> context_tokens = {};
  std::optional<std::int64_t> generation_tokens = {};
  std::optional<std::int64_t> context_kv_tokens = {};
  std::optional<std::int64_t> generation_kv_tokens = {};
  // Sums over requests of products of their tokens and of what these look back at: how much attention computes.
  std::optional<std::int64_t> context_query_squares = {};
  std::optional<std::int64_t> context_query_keys = {};
  std::optional<std::int64_t> generation_query_keys = {};
};

/// The whole of `name` must be as an engine writes it; none otherwise. Takes no memory for names that are none.
std::optional<StepName> parse_step_name(std::string_view name);

/// The same of a name in this trace. Everybody who asks which names are steps asks here: names that a user adds for a
/// trace come first.
std::optional<StepName> step_name_in(const trace::Trace& trace, std::string_view name);

/// Of a step that its recorder numbers (JAX): phase from a word of its name, prefill, extend, decode or generate; none
/// without one.
std::optional<StepName> parse_numbered_step(std::string_view name);

}  // namespace orrery::causal

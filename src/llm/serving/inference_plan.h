// Serving as it is planned: which model, how it is parallelised, which requests, and how much memory that takes. The
// workload and the memory are made from one plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "llm/steps/step_memory.h"
#include "llm/steps/step_plan.h"
#include "machine/yaml/violation.h"

namespace orrery::llm {

/// How requests come together.
enum class Batching : std::uint8_t {
  fixed,       ///< all prompts first, then all tokens, until the last request has all of its own
  continuous,  ///< whenever a request has all of its tokens another takes its place, whose prompt is read between two
               ///< tokens of the others
};
inline constexpr std::array<std::string_view, 2> kBatchingNames = {"static", "continuous"};

/// Whose kernels and constants.
enum class ServingStack : std::uint8_t {
  serving,        ///< TensorRT-LLM, vLLM and their like: llm/serving/serving
  pytorch_eager,  ///< one device per stage; prefill launched by the host, decode as one graph:
                  ///< llm/closed_forms/eager_step
};
inline constexpr std::array<std::string_view, 2> kServingStackNames = {"serving", "pytorch_eager"};

struct InferencePlan {
  /// The model without the layers that only training has, and tensor, pipeline, expert, data (replicas), devices of the
  /// job.
  StepPlan shape;
  double batch = 1;          ///< requests at once, all replicas together
  double prompt = 0;         ///< tokens
  double generate = 1;       ///< tokens; the first comes of the prompt
  double micro_batches = 1;  ///< in a pipeline: a replica's requests go through it in so many parts
  double positions = 5;      ///< at how many contexts a token is timed; in between times are interpolated
  Batching batching = Batching::fixed;
  ServingStack stack = ServingStack::serving;
  machine::DataType precision = machine::DataType::bf16;  ///< of weights, and of products
  double kv_cache_bytes = 2;                              ///< of one element

  [[nodiscard]] double replica_requests() const { return batch / shape.job.data; }
  /// That go through the pipeline together.
  [[nodiscard]] double requests() const { return replica_requests() / micro_batches; }
  /// How many tensor ranks share one expert.
  [[nodiscard]] double expert_split() const {
    return shape.job.expert < shape.job.tensor ? shape.job.tensor / shape.job.expert : 1;
  }
  /// How many replicas bring their tokens to the same experts.
  [[nodiscard]] double expert_replicas() const {
    return shape.job.expert > shape.job.tensor ? shape.job.expert / shape.job.tensor : 1;
  }
};

/// The first rule that the plan breaks, with the field as a configuration calls it.
std::optional<machine::Violation> find_inference_violation(const InferencePlan& plan);

/// Bytes of keys and values of one token in one layer, on one rank. Where there are more tensor ranks than heads of
/// keys, each has one; latent ones are not divided at all.
double cache_bytes_per_token(const InferencePlan& plan);

/// Parameters of one layer on one rank.
struct ServedParameters {
  double attention = 0;
  double mlp = 0;      ///< dense, or router and shared expert
  double experts = 0;  ///< of the rank's own
};
ServedParameters served_parameters(const InferencePlan& plan, bool with_experts);

/// One micro-batch on its way through the pipeline.
struct Visit {
  bool is_prefill = false;
  double requests = 1;
  double context = 0;  ///< prefill: tokens of a prompt; decode: keys that a token looks at

  [[nodiscard]] double tokens() const { return is_prefill ? requests * context : requests; }
};

/// All micro-batches at one context, one after the other.
struct Round {
  Visit visit;
  std::uint32_t micro_batches = 1;
  bool is_measured = false;  ///< else it is there to get the pipeline into its stride
  bool joins = false;        ///< a prompt that is read between tokens of others: nothing waits for its token
};

/// What is simulated. Static: all prompts, then a token at each of some contexts, evenly spaced from the first to the
/// last. Continuous: tokens at the mean context, a prompt, tokens.
std::vector<Round> rounds_of(const InferencePlan& plan);

/// Memory of a rank that serves, in bytes: weights, the cache of keys and values, and what the pass at hand needs.
struct InferenceMemory {
  double weights = 0;
  double cache = 0;      ///< of all requests of the replica at once
  double workspace = 0;  ///< a layer's activations of the largest prefill, logits, buffers of libraries
  double unused = 0;     ///< fragmentation

  double cache_per_request = 0;

  [[nodiscard]] double sum() const { return weights + cache + workspace + unused; }
};

/// Static batches: when the last token is made. Continuous ones: pages are taken as they are needed, so that requests
/// hold their mean.
InferenceMemory inference_memory(const InferencePlan& plan, const MemoryOptions& options, std::uint32_t stage);

}  // namespace orrery::llm

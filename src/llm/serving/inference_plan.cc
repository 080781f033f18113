#include "llm/serving/inference_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "llm/kernels/kernel_list.h"
#include "machine/device/kernel_gemm.h"
#include "report/counted.h"

// Memory of a stage is weights, caches of requests, room for activations and what fragmentation wastes. A plan is
// checked from what only training knows to divisibilities and limits of a stack. Rounds sample the tokens of a request
// evenly, after a warm-up where stages overlap.

namespace orrery::llm {

InferenceMemory inference_memory(const InferencePlan& plan, const MemoryOptions& options, std::uint32_t stage) {
  const Architecture& m = plan.shape.model;
  const double tp = plan.shape.job.tensor, weight_bytes = machine::bytes_of(plan.precision),
               table = m.vocabulary * m.hidden / tp;
  const std::uint32_t first = plan.shape.first_layer(stage), end = plan.shape.first_layer(stage + 1);
  const bool is_first = stage == 0, is_last = stage + 1 == plan.shape.stages();
  InferenceMemory memory;
  for (std::uint32_t layer = first; layer < end; ++layer) {
    const ServedParameters of = served_parameters(plan, plan.shape.has_experts(layer));
    memory.weights += weight_bytes * (of.attention + of.mlp + of.experts);
  }
  if (is_first) memory.weights += weight_bytes * table;
  // Tied weights are there once, if both ends of the model are on one rank.
  if (is_last && !(is_first && plan.shape.tied_embeddings)) memory.weights += weight_bytes * table;

  const bool continuous = plan.batching == Batching::continuous;
  memory.cache_per_request =
      // Requests under way are half through on the mean.
      cache_bytes_per_token(plan) * (end - first) * (plan.prompt + plan.generate / (continuous ? 2 : 1));
  memory.cache = plan.replica_requests() * memory.cache_per_request;

  // A continuous batch takes in one request at a time.
  const double prompts = continuous ? 1 : plan.requests();
  // As in llm/closed_forms/peak_memory: queries, keys, values, residual stream, and both sides of the activation.
  double width = (m.plain_mlp ? 2 : 3) * m.ffn / tp;
  if (m.experts) width = std::max(width, 3 * m.experts->chosen * m.experts->ffn / plan.expert_split());
  memory.workspace = options.library_bytes + kElementBytes * prompts * plan.prompt * (4 * m.hidden + width);
  // Scores of the next token, for every request.
  if (is_last) memory.workspace += kElementBytes * plan.requests() * m.vocabulary;
  memory.unused = options.fragmentation_share * memory.sum();
  return memory;
}

namespace {

using machine::Violation;

bool divides_whole(double divisor, double value) { return std::fmod(value, divisor) == 0; }

/// What only training knows.
std::optional<Violation> find_training_field(const StepPlan& shape) {
  const ParallelJob& job = shape.job;
  const auto wrong = [](const char* field) {
    return Violation{field, "is for training: it has no meaning in inference", "leave it out"};
  };
  if (job.context > 1) return wrong("parallelism.context");
  if (job.interleave > 1) return wrong("parallelism.chunks");
  if (job.zero_stage > 0) return wrong("parallelism.zero");
  if (job.sequence_parallel) return wrong("parallelism.sequence");
  if (shape.order != PipelineOrder::one_f_one_b) return wrong("parallelism.order");
  return std::nullopt;
}

std::optional<Violation> find_expert_violation(const StepPlan& shape) {
  const ParallelJob& job = shape.job;
  const Architecture& model = shape.model;
  if (!model.experts) {
    if (job.expert > 1)
      return Violation{"parallelism.expert", fmt::format("of {} needs a model with experts", job.expert)};
    return std::nullopt;
  }
  if (!divides_whole(job.expert, model.experts->count))
    return Violation{"parallelism.expert",
                     fmt::format("of {} must divide the {} experts", job.expert, model.experts->count)};
  const bool inside = divides_whole(job.expert, job.tensor);
  const bool across = divides_whole(job.tensor, job.expert) && divides_whole(job.expert, job.tensor * job.data);
  if (!inside && !across) {
    return Violation{
        "parallelism.expert",
        fmt::format("of {} must divide tensor = {}, or be a multiple of it that divides tensor x data = {}", job.expert,
                    job.tensor, job.tensor * job.data)};
  }
  const double split = job.expert < job.tensor ? job.tensor / job.expert : 1;
  if (!divides_whole(split, model.experts->ffn))
    return Violation{"parallelism.tensor",
                     fmt::format("/ expert = {} must divide an expert's width of {}", split, model.experts->ffn)};
  return std::nullopt;
}

std::optional<Violation> find_shape_violation(const StepPlan& shape) {
  const ParallelJob& job = shape.job;
  const Architecture& model = shape.model;
  if (model.hybrid) return Violation{"model", "has state-space layers, whose kernels are not modelled one by one"};
  if (!divides_whole(job.tensor, model.heads))
    return Violation{"parallelism.tensor",
                     fmt::format("of {} must divide the {} attention heads", job.tensor, model.heads)};
  // Fewer heads of keys than ranks are copied to several of them.
  if (!divides_whole(job.tensor, model.kv_heads) && !divides_whole(model.kv_heads, job.tensor)) {
    return Violation{"parallelism.tensor", fmt::format("of {} must divide, or be a multiple of, the {} heads of keys",
                                                       job.tensor, model.kv_heads)};
  }
  if (!divides_whole(job.tensor, model.ffn))
    return Violation{"parallelism.tensor",
                     fmt::format("of {} must divide the MLP's width of {}", job.tensor, model.ffn)};
  if (model.layers < job.pipeline)
    return Violation{"parallelism.pipeline",
                     fmt::format("makes {} of {}: each needs one", report::counted(job.pipeline, "stage"),
                                 report::counted(model.layers, "layer"))};
  return find_expert_violation(shape);
}

std::optional<Violation> find_eager_violation(const InferencePlan& plan) {
  if (plan.stack != ServingStack::pytorch_eager) return std::nullopt;
  const Architecture& model = plan.shape.model;
  const auto needs = [](const std::string& what) {
    return Violation{"inference.stack", "pytorch_eager " + what, "stack: serving has no such limit"};
  };
  if (plan.shape.job.tensor > 1)
    return needs(fmt::format("has no tensor parallelism, and parallelism.tensor is {}", plan.shape.job.tensor));
  if (model.experts || model.latent_attention)
    return needs("has neither experts nor latent attention, and the model does");
  if (model.heads * model.head_size != model.hidden)
    return needs(fmt::format("needs heads x head_size = hidden, and the model has {} x {} and {}", model.heads,
                             model.head_size, model.hidden));
  if (machine::bytes_of(plan.precision) != 2) return needs("computes in 16 bits");
  return std::nullopt;
}

}  // namespace

std::optional<Violation> find_inference_violation(const InferencePlan& plan) {
  const ParallelJob& job = plan.shape.job;
  const double ranks = job.tensor * job.pipeline * job.data;
  if (auto found = find_training_field(plan.shape)) return found;
  if (job.devices > 0 && ranks != job.devices) {
    return Violation{"parallelism",
                     fmt::format("tensor x pipeline x data = {} x {} x {} = {} must be the {}", job.tensor,
                                 job.pipeline, job.data, ranks, report::counted(job.devices, "device"))};
  }
  if (auto found = find_shape_violation(plan.shape)) return found;
  if (auto found = find_eager_violation(plan)) return found;
  if (!divides_whole(job.data * plan.micro_batches, plan.batch)) {
    return Violation{"inference.batch",
                     fmt::format("of {} requests must be a multiple of data x micro_batches = {} x {}", plan.batch,
                                 job.data, plan.micro_batches)};
  }
  if (plan.micro_batches > 1 && job.pipeline < 2)
    return Violation{"inference.micro_batches",
                     fmt::format("of {} needs a pipeline of at least 2 stages", plan.micro_batches)};
  if (plan.batching == Batching::continuous && plan.generate < 2)
    return Violation{"inference.generate",
                     "must be at least 2 where requests join others: one token comes of the prompt itself"};
  return std::nullopt;
}

double cache_bytes_per_token(const InferencePlan& plan) {
  return plan.kv_cache_bytes * key_value_width(plan.shape.model, plan.shape.job.tensor);
}

ServedParameters served_parameters(const InferencePlan& plan, bool with_experts) {
  const Architecture& m = plan.shape.model;
  const double tp = plan.shape.job.tensor, h = m.hidden;
  ServedParameters of;
  of.attention = parameters_of_all(attention_projections(m, tp));
  if (!with_experts) {
    of.mlp = (m.plain_mlp ? 2 : 3) * h * m.ffn / tp;
    return of;
  }
  const Experts& e = *m.experts;
  // h x count is the router, which every rank has whole.
  of.mlp = 3 * h * e.shared_ffn / tp + h * e.count;
  of.experts = e.count / plan.shape.job.expert * 3 * h * e.ffn / plan.expert_split();
  return of;
}

std::vector<Round> rounds_of(const InferencePlan& plan) {
  const auto parts = static_cast<std::uint32_t>(plan.micro_batches);
  const auto token = [&](double context, bool is_measured) {
    return Round{{.requests = plan.requests(), .context = context}, parts, is_measured, false};
  };
  std::vector<Round> rounds;
  if (plan.batching == Batching::continuous) {
    // Requests are at all places between their first token and their last: together they have the cache of as many at
    // the mean.
    const double mean = plan.prompt + plan.generate / 2;
    // As many tokens as there are parts, before anything is measured: by then the pipeline is full.
    for (std::uint32_t i = 0; i < parts; ++i) rounds.push_back(token(mean, false));
    rounds.push_back(token(mean, true));
    rounds.push_back({{.is_prefill = true, .requests = 1, .context = plan.prompt}, 1, true, true});
    rounds.push_back(token(mean, true));
    return rounds;
  }
  rounds.push_back({{.is_prefill = true, .requests = plan.requests(), .context = plan.prompt}, parts, true, false});
  const double last = plan.generate - 1, count = std::min(plan.positions, last);
  for (int i = 0; i < count; ++i) {
    // Evenly spread over all tokens but the first; a single sample is taken in the middle.
    const double position = count > 1 ? 1 + std::round(i * (last - 1) / (count - 1)) : (1 + last) / 2;
    // With several parts under way the stages wait for one another differently once all of them are at it.
    if (parts > 1) rounds.push_back(token(plan.prompt + position, false));
    rounds.push_back(token(plan.prompt + position, true));
  }
  return rounds;
}

}  // namespace orrery::llm

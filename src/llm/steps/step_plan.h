// A training step as it is planned: which model, cut up how, in which order, by which software. The workload, the
// memory and the folded estimate are all made from one plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "llm/architecture.h"
#include "llm/frameworks.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/device.h"
#include "machine/yaml/violation.h"
#include "workload/role.h"

namespace orrery::llm {

/// In which order a stage of a pipeline runs forward and backward passes.
enum class PipelineOrder : std::uint8_t {
  gpipe,        ///< all forward, then all backward (Huang et al., GPipe, 2019)
  one_f_one_b,  ///< one forward, one backward in turn (Narayanan et al., PipeDream-Flush, 2021); with several chunks
                ///< interleaved
  zero_bubble,  ///< gradients of weights fill the waits (Qi et al., Zero Bubble Pipeline Parallelism, ZB-H1, 2023)
};
inline constexpr std::array<std::string_view, 3> kPipelineOrderNames = {"gpipe", "1f1b", "zero_bubble"};

inline constexpr std::array<std::string_view, 3> kRecomputationNames = {"none", "selective", "full"};

/// Whose constants say what software adds to kernels: data/frameworks.
enum class Software : std::uint8_t {
  megatron_core,
  megatron_lm_2021,
  megatron_lm_2022,  ///< which sends between stages faster
  megatron_deepspeed_2021,
  pytorch_fsdp,
  nemo,     ///< Megatron Core as NeMo 2 ran it, until Megatron-Bridge took its place; also MLPerf's
  nanotron  ///< Hugging Face's, launched layer by layer from Python
};
inline constexpr std::array<std::string_view, 7> kSoftwareNames = {
    "megatron_core", "megatron_lm_2021", "megatron_lm_2022", "megatron_deepspeed_2021", "pytorch_fsdp",
    "nemo",          "nanotron"};
/// Without flash attention, with dropout, and with nothing that runs beside.
constexpr bool is_early(Software software) {
  return software == Software::megatron_lm_2021 || software == Software::megatron_lm_2022 ||
         software == Software::megatron_deepspeed_2021;
}

/// The directions in which a job is parallel: each is a role of the workload, and an axis of what is reported.
enum class ParallelAxis : std::uint8_t { tensor, context, expert, pipeline, data, expert_data, model };
inline constexpr std::size_t kParallelAxes = 7;
inline constexpr std::array<std::string_view, kParallelAxes> kParallelAxisNames = {
    "tensor", "context", "expert", "pipeline", "data", "expert_data", "model"};

/// What may run beside computing; the rest follows from streams and dependencies.
struct Overlap {
  bool gradients = true;  ///< a bucket is reduced as soon as its layers are done; else all at the end
  bool parameters =
      true;              ///< a sharded optimizer's parameters are gathered under the first forward pass; else before it
  bool messages = true;  ///< receives between stages are posted one pass ahead
  bool experts = false;  ///< tokens travel to and from experts of one micro-batch while another one computes: see
                         ///< llm/steps/paired_passes
  bool slowdown = true;  ///< computing takes longer while tokens travel beside it
  double tensor_parts =
      1;  ///< collectives of tensor parallelism and the products beside them are cut into so many parts, in a pipeline
};

/// Layers of an LSTM in place of a transformer's: llm/steps/lstm. Layers, hidden and vocabulary are those of
/// StepPlan::model.
struct LstmShape {
  double input = 0;  ///< width of what the first layer reads
};

/// Who carries tokens to experts.
enum class Dispatch : std::uint8_t {
  forwarded,   ///< a library for experts (DeepEP): a token goes to each domain of neighbours once, and is copied there
               ///< to the experts that it chose
  all_to_all,  ///< NCCL: every chosen expert gets its own copy, in the 16 bits that attention left
  fused        ///< forwarded, and sorted by expert on the way (HybridEP)
};
inline constexpr std::array<std::string_view, 3> kDispatchNames = {"forwarded", "all_to_all", "fused"};

struct StepPlan {
  Architecture model;
  std::optional<LstmShape> lstm = {};
  ParallelJob job;
  PipelineOrder order = PipelineOrder::one_f_one_b;
  machine::DataType precision = machine::DataType::bf16;
  Software software = Software::megatron_core;
  SoftwareRelease release = {};  ///< of Megatron Core: experts came to cost less
  bool adapters_only =
      false;  ///< LoRA: the model's own matrices have no gradients; those of the adapters are too small to count
  Overlap overlap = {};
  Captured captured = Captured::nothing;  ///< of layers with experts, whose host holds up devices else
  double bucket_bytes = 0;                ///< gradients are reduced in pieces of at least this size; 0: a layer each
  /// Neighbours that share a fast network. 0: not known, every expert gets its own copy of a token.
  double domain_devices = 0;
  Dispatch dispatch = Dispatch::forwarded;
  double gradient_bytes = 4;     ///< of one element, as it is reduced
  bool tied_embeddings = false;  ///< embedding and head share their weights

  [[nodiscard]] std::uint32_t stages() const { return static_cast<std::uint32_t>(job.pipeline); }
  /// Model chunks of a stage.
  [[nodiscard]] std::uint32_t chunks() const { return static_cast<std::uint32_t>(job.interleave); }
  [[nodiscard]] std::uint32_t parts() const { return stages() * chunks(); }
  [[nodiscard]] std::uint32_t micro_batches() const { return static_cast<std::uint32_t>(job.micro_batches()); }
  /// Of one micro-batch on one rank of a context group.
  [[nodiscard]] double tokens() const { return job.micro_batch * job.sequence / job.context; }
  /// Ranks of one stage.
  [[nodiscard]] std::uint32_t stage_ranks() const {
    return static_cast<std::uint32_t>(job.tensor * job.context * job.data);
  }
  [[nodiscard]] std::uint32_t ranks() const { return stage_ranks() * stages(); }

  /// Layers with those of multi-token prediction, which come last.
  [[nodiscard]] std::uint32_t layers() const {
    return static_cast<std::uint32_t>(model.layers + model.prediction_layers);
  }
  /// The first layer of a part of the model, 0 <= part <= parts(). Parts differ by one layer at most; the first and the
  /// last part, which have embedding and head besides, are the last to get one more.
  [[nodiscard]] std::uint32_t first_layer(std::uint32_t part) const;
  [[nodiscard]] bool has_experts(std::uint32_t layer) const {
    return model.experts.has_value() && layer >= static_cast<std::uint32_t>(model.experts->dense_layers);
  }
};

/// By which factor computing takes longer while tokens travel beside it; 1 where the plan says so.
double exchange_slowdown(const StepPlan& plan, const machine::Device& device);

/// How the ranks along an axis are laid out: see step_source(). The first axis varies fastest.
std::vector<workload::Axis> layout_of(const StepPlan& plan, ParallelAxis axis);
/// How many they are.
double ranks_along(const StepPlan& plan, ParallelAxis axis);

/// Parameters that one token passes; with experts, only the chosen ones.
double active_parameters(const Architecture& model);

}  // namespace orrery::llm

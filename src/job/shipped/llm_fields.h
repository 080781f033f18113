// The fields of a configuration of `orrery llm`, each said once, for reading and for checking; serving: is in
// serving_fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "job/shipped/serving_fields.h"
#include "llm/engine/serving_plan.h"
#include "llm/serving/inference_plan.h"
#include "llm/steps/matrix_plan.h"
#include "llm/steps/step_memory.h"
#include "llm/steps/step_plan.h"
#include "llm/steps/sweep_space.h"
#include "machine/device/peak_rates.h"
#include "machine/yaml/field_kinds.h"
#include "simulate/pricing/pricing.h"

namespace orrery::job {

inline constexpr std::string_view kLlmFormat = "orrery.llm/1";

/// inference:
struct InferenceFields {
  double batch = 1, prompt = 0, generate = 1, micro_batches = 1, positions = 5;
  llm::Batching batching = llm::Batching::fixed;
  llm::ServingStack stack = llm::ServingStack::serving;
  machine::DataType precision = machine::DataType::bf16;
  double kv_cache_bytes = 2;
  bool tied_embeddings = false;
};

/// The shape of an LSTM; the rest of lstm: is as in training:.
struct LstmFields {
  double layers = 0, hidden = 0, vocabulary = 0;
  std::optional<std::int64_t> input = {};
};

/// Which software: the file may leave it to the device.
enum class SoftwareChoice : std::uint8_t {
  automatic,
  megatron_core,
  megatron_lm_2021,
  megatron_lm_2022,
  megatron_deepspeed_2021,
  pytorch_fsdp,
  nemo,
  nanotron
};
inline constexpr std::array<std::string_view, 8> kSoftwareChoices = {
    "auto",         "megatron_core", "megatron_lm_2021", "megatron_lm_2022", "megatron_deepspeed_2021",
    "pytorch_fsdp", "nemo",          "nanotron"};
static_assert(kSoftwareChoices.size() == llm::kSoftwareNames.size() + 1);

struct Training {
  double global_batch = 0, micro_batch = 1, sequence = 0;
  llm::Recomputation recompute = llm::Recomputation::none;
  machine::DataType precision = machine::DataType::bf16;
  double gradient_bytes = 4;
  bool tied_embeddings = false;
  llm::Captured graphs = llm::Captured::nothing;
};

/// lstm: what it is, and how it is trained.
struct LstmTraining {
  LstmFields shape;
  Training training;
};

struct Parallelism {
  double tensor = 1, context = 1, pipeline = 1, expert = 1, chunks = 1, zero = 0;
  std::optional<std::int64_t> data = {};
  bool sequence = false;
  llm::PipelineOrder order = llm::PipelineOrder::one_f_one_b;
  llm::Dispatch dispatch = llm::Dispatch::forwarded;
};

struct OverlapChoice {
  std::optional<bool> gradients = {}, parameters = {}, messages = {};
  bool experts = false, slowdown = true;
  double tensor_parts = 1, bucket_mb = 0;
};

/// Lists of what a sweep tries: plans of a step, or settings of a serving engine.
struct SweepLists {
  llm::SweepSpace plans;
  llm::ServingSpace serving;
};

/// The whole file.
struct LlmDocument {
  std::string name;
  std::optional<std::string> machine = {}, model = {}, device = {};
  std::optional<std::int64_t> devices = {};
  SoftwareChoice software = SoftwareChoice::automatic;
  std::optional<std::string> software_release = {};
  // Exactly one of these five.
  std::optional<Training> training = {};
  std::optional<InferenceFields> inference = {};
  std::optional<llm::MatrixPlan> gemm = {};
  std::optional<LstmTraining> lstm = {};
  std::optional<ServingFields> serving = {};
  Parallelism parallelism;
  OverlapChoice overlap;
  simulate::PricingOptions network;
  llm::MemoryOptions memory;
  SweepLists sweep;
};

// Beyond every job there is, and small enough for products of two to be exact in a double.
inline constexpr machine::Range kRequests = {1, 1 << 20, true};
inline constexpr machine::Range kTokens = {1, 1 << 24, true};
inline constexpr machine::Range kPositions = {1, 1025, true};
inline constexpr machine::Range kCacheBytes = {0, 8};
inline constexpr machine::Range kMatrixExtent = {1, 1 << 30, true};
inline constexpr machine::Range kGridExtent = {1, 1 << 20, true};
inline constexpr machine::Range kPanels = {1, 4096, true};
inline constexpr machine::Range kDegree = {1, 1 << 20, true};
inline constexpr machine::Range kBatch = {1, 1 << 24, true};
inline constexpr machine::Range kSequence = {1, 1 << 24, true};
inline constexpr machine::Range kZeroStage = {0, 3, true};
inline constexpr machine::Range kParts = {1, 64, true};
inline constexpr machine::Range kMegabytes = {0, 1 << 20, true};
inline constexpr machine::Range kPerParameter = {0, 64, true};
inline constexpr machine::Range kElement = {1, 8, true};
inline constexpr machine::Range kShare = {0, 1, true};

}  // namespace orrery::job

namespace orrery::llm {

/// gemm:
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MatrixPlan> auto& value) {
  visitor.whole("m", value.m, job::kMatrixExtent);
  visitor.whole("n", value.n, job::kMatrixExtent);
  visitor.whole("k", value.k, job::kMatrixExtent);
  visitor.whole("batch", value.batch, job::kMatrixExtent, machine::Default{1.0});
  visitor.choice("precision", value.precision, machine::kDataTypeNames, machine::Default{machine::DataType::bf16});
  visitor.choice("layout", value.layout, kMatrixLayoutNames);
  visitor.whole("rows", value.rows, job::kGridExtent, machine::Default{1.0});
  visitor.whole("columns", value.columns, job::kGridExtent, machine::Default{1.0});
  visitor.whole("panels", value.panels, job::kPanels, machine::Default{1.0});
  visitor.choice("sum", value.sum, kMatrixSumNames, machine::Default{MatrixSum::scattered});
  visitor.number("sum_bytes", value.sum_bytes, job::kCacheBytes, machine::Default{2.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MemoryOptions> auto& value) {
  const MemoryOptions usual;
  visitor.number("optimizer_bytes", value.optimizer_bytes, job::kPerParameter, machine::Default{usual.optimizer_bytes});
  visitor.number("library_bytes", value.library_bytes, machine::Range{0, 1e12, true},
                 machine::Default{usual.library_bytes});
  visitor.number("fragmentation_share", value.fragmentation_share, job::kShare,
                 machine::Default{usual.fragmentation_share});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<SweepSpace> auto& value) {
  const machine::Default usual{std::vector<std::int64_t>{}};
  visitor.counts("tensor", value.tensor, job::kDegree, usual);
  visitor.counts("context", value.context, job::kDegree, usual);
  visitor.counts("pipeline", value.pipeline, job::kDegree, usual);
  visitor.counts("expert", value.expert, job::kDegree, usual);
  visitor.counts("chunks", value.chunks, job::kParts, usual);
  visitor.counts("micro_batch", value.micro_batch, job::kBatch, usual);
  visitor.counts("zero", value.zero, job::kZeroStage, usual);
  visitor.choices("recompute", value.recompute, kRecomputationNames);
  visitor.choices("order", value.order, kPipelineOrderNames);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingSpace> auto& value) {
  const machine::Default usual{std::vector<std::int64_t>{}};
  visitor.counts("max_requests", value.max_requests, job::kSomeRequests, usual);
  visitor.counts("max_batch_tokens", value.max_batch_tokens, job::kSomeTokens, usual);
  visitor.counts("replicas", value.replicas, job::kSomeReplicas, usual);
  visitor.counts("prefill", value.prefill, job::kSomeReplicas, usual);
  visitor.counts("decode", value.decode, job::kSomeReplicas, usual);
}

}  // namespace orrery::llm

namespace orrery::job {

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<InferenceFields> auto& value) {
  visitor.whole("batch", value.batch, kRequests, machine::Default{1.0});
  visitor.whole("prompt", value.prompt, kTokens);
  visitor.whole("generate", value.generate, kTokens);
  visitor.choice("batching", value.batching, llm::kBatchingNames, machine::Default{llm::Batching::fixed});
  visitor.whole("micro_batches", value.micro_batches, kRequests, machine::Default{1.0});
  visitor.choice("stack", value.stack, llm::kServingStackNames, machine::Default{llm::ServingStack::serving});
  visitor.choice("precision", value.precision, machine::kDataTypeNames, machine::Default{machine::DataType::bf16});
  visitor.number("kv_cache_bytes", value.kv_cache_bytes, kCacheBytes, machine::Default{2.0});
  visitor.flag("tied_embeddings", value.tied_embeddings);
  visitor.whole("positions", value.positions, kPositions, machine::Default{5.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LstmFields> auto& value) {
  visitor.whole("layers", value.layers, kMatrixExtent);
  visitor.whole("hidden", value.hidden, kMatrixExtent);
  visitor.count("input", value.input, kMatrixExtent);
  visitor.whole("vocabulary", value.vocabulary, kMatrixExtent);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Training> auto& value) {
  visitor.whole("global_batch", value.global_batch, kBatch);
  visitor.whole("micro_batch", value.micro_batch, kBatch, machine::Default{1.0});
  visitor.whole("sequence", value.sequence, kSequence);
  visitor.choice("recompute", value.recompute, llm::kRecomputationNames, machine::Default{llm::Recomputation::none});
  visitor.choice("precision", value.precision, machine::kDataTypeNames, machine::Default{machine::DataType::bf16});
  visitor.number("gradient_bytes", value.gradient_bytes, kElement, machine::Default{4.0});
  visitor.flag("tied_embeddings", value.tied_embeddings);
  visitor.choice("graphs", value.graphs, llm::kCapturedNames, machine::Default{llm::Captured::nothing});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LstmTraining> auto& value) {
  describe(visitor, value.shape);
  describe(visitor, value.training);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Parallelism> auto& value) {
  visitor.whole("tensor", value.tensor, kDegree, machine::Default{1.0});
  visitor.flag("sequence", value.sequence);
  visitor.whole("context", value.context, kDegree, machine::Default{1.0});
  visitor.whole("pipeline", value.pipeline, kDegree, machine::Default{1.0});
  visitor.choice("order", value.order, llm::kPipelineOrderNames, machine::Default{llm::PipelineOrder::one_f_one_b});
  visitor.whole("chunks", value.chunks, kParts, machine::Default{1.0});
  visitor.whole("expert", value.expert, kDegree, machine::Default{1.0});
  visitor.choice("dispatch", value.dispatch, llm::kDispatchNames, machine::Default{llm::Dispatch::forwarded});
  visitor.count("data", value.data, kDegree);
  visitor.whole("zero", value.zero, kZeroStage, machine::Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<OverlapChoice> auto& value) {
  visitor.flag("gradients", value.gradients);
  visitor.flag("parameters", value.parameters);
  visitor.flag("messages", value.messages);
  visitor.flag("experts", value.experts);
  visitor.flag("slowdown", value.slowdown);
  visitor.whole("tensor_parts", value.tensor_parts, kParts, machine::Default{1.0});
  visitor.number("bucket_mb", value.bucket_mb, kMegabytes, machine::Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<SweepLists> auto& value) {
  describe(visitor, value.plans);
  describe(visitor, value.serving);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LlmDocument> auto& value) {
  visitor.format("format", kLlmFormat);
  visitor.text("name", value.name);
  visitor.text("model", value.model);
  visitor.text("machine", value.machine);
  visitor.count("devices", value.devices, kDegree);
  visitor.text("device", value.device);
  visitor.choice("software", value.software, kSoftwareChoices, machine::Default{SoftwareChoice::automatic});
  visitor.text("software_release", value.software_release);
  visitor.object("training", value.training);
  visitor.object("inference", value.inference);
  visitor.object("gemm", value.gemm);
  visitor.object("lstm", value.lstm);
  visitor.object("serving", value.serving);
  visitor.object("parallelism", value.parallelism, machine::Default{Parallelism{}});
  visitor.object("overlap", value.overlap, machine::Default{OverlapChoice{}});
  visitor.object("network", value.network, machine::Default{simulate::PricingOptions{}});
  visitor.object("memory", value.memory, machine::Default{llm::MemoryOptions{}});
  visitor.object("sweep", value.sweep, machine::Default{SweepLists{}});
}

}  // namespace orrery::job

// The fields of what a configuration may have in place of `training:`: inference, a distributed product, an LSTM. Each
// is said once.
#pragma once

#include "llm/serving/inference_plan.h"
#include "llm/steps/matrix_plan.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::job {

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

inline constexpr machine::Range kRequests = {1, 1 << 20, true};
inline constexpr machine::Range kTokens = {1, 1 << 24, true};
inline constexpr machine::Range kPositions = {1, 1025, true};
inline constexpr machine::Range kCacheBytes = {0, 8};
inline constexpr machine::Range kMatrixExtent = {1, 1 << 30, true};
inline constexpr machine::Range kGridExtent = {1, 1 << 20, true};
inline constexpr machine::Range kPanels = {1, 4096, true};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<InferenceFields> auto& value) {
  using machine::Default;
  visitor.whole("batch", value.batch, kRequests, Default{1.0});
  visitor.whole("prompt", value.prompt, kTokens);
  visitor.whole("generate", value.generate, kTokens);
  visitor.choice("batching", value.batching, llm::kBatchingNames, Default{llm::Batching::fixed});
  visitor.whole("micro_batches", value.micro_batches, kRequests, Default{1.0});
  visitor.choice("stack", value.stack, llm::kServingStackNames, Default{llm::ServingStack::serving});
  visitor.choice("precision", value.precision, machine::kDataTypeNames, Default{machine::DataType::bf16});
  visitor.number("kv_cache_bytes", value.kv_cache_bytes, kCacheBytes, Default{2.0});
  visitor.flag("tied_embeddings", value.tied_embeddings);
  visitor.whole("positions", value.positions, kPositions, Default{5.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<LstmFields> auto& value) {
  visitor.whole("layers", value.layers, kMatrixExtent);
  visitor.whole("hidden", value.hidden, kMatrixExtent);
  visitor.count("input", value.input, kMatrixExtent);
  visitor.whole("vocabulary", value.vocabulary, kMatrixExtent);
}

}  // namespace orrery::job

namespace orrery::llm {

/// gemm:
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MatrixPlan> auto& value) {
  using machine::Default;
  visitor.whole("m", value.m, job::kMatrixExtent);
  visitor.whole("n", value.n, job::kMatrixExtent);
  visitor.whole("k", value.k, job::kMatrixExtent);
  visitor.whole("batch", value.batch, job::kMatrixExtent, Default{1.0});
  visitor.choice("precision", value.precision, machine::kDataTypeNames, Default{machine::DataType::bf16});
  visitor.choice("layout", value.layout, kMatrixLayoutNames);
  visitor.whole("rows", value.rows, job::kGridExtent, Default{1.0});
  visitor.whole("columns", value.columns, job::kGridExtent, Default{1.0});
  visitor.whole("panels", value.panels, job::kPanels, Default{1.0});
  visitor.choice("sum", value.sum, kMatrixSumNames, Default{MatrixSum::scattered});
  visitor.number("sum_bytes", value.sum_bytes, job::kCacheBytes, Default{2.0});
}

}  // namespace orrery::llm

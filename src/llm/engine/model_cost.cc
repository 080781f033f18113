#include "llm/engine/model_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "llm/collectives/device_collectives.h"
#include "llm/kernels/kernel_devices.h"

namespace orrery::llm {
namespace {

using machine::WarmFormat;

// Pieces of prompts that are remembered: far more than differ in a log where prompts are cut by a budget, in 16 MB.
constexpr std::size_t kMostPieces = std::size_t{1} << 18;
// How far attention over unequal contexts goes from its time at the mean towards that at the longest: asked for by
// recorded runs of an engine (docs/SERVING.md).
constexpr double kSkew = 0.04;
// Contexts in between lie on straight lines: a step's price changes with every token, and is not made anew each time.
constexpr double kContextStep = 1.125;

std::optional<WarmFormat> format_of(machine::DataType type) {
  switch (type) {
    case machine::DataType::bf16:
    case machine::DataType::fp16: return WarmFormat::bf16;
    case machine::DataType::fp8: return WarmFormat::fp8;
    case machine::DataType::fp4: return WarmFormat::nvfp4;
    default: return std::nullopt;
  }
}

class RememberedPrices : public ModelPrices {
 public:
  RememberedPrices(ModelKernels kernels, std::vector<std::int64_t> graph_tokens)
      : kernels_(std::move(kernels)), graph_tokens_(std::move(graph_tokens)) {}

  [[nodiscard]] std::string basis() const override {
    return kernels_.device().warm.is_relative() ? kernels_.device().warm.owner() : "measured";
  }

  StepPrice price(const Batch& batch, IntervalPoint point) override {
    const std::scoped_lock lock(mutex_);
    BatchTimes step = layers(batch);
    step += by_sequences(std::max(1U, batch.sampled));
    return {in_ps(step.at(point)), in_ps(std::min(step.at(point), smallest().at(point)))};
  }

  /// Stages are wrong together: each is a part of the whole step.
  void price_stages(const Batch& batch, IntervalPoint point, StagedStep& step) override {
    const std::scoped_lock lock(mutex_);
    const StepPlan& shape = kernels_.plan().shape;
    const BatchTimes all_layers = layers(batch), head = by_sequences(std::max(1U, batch.sampled));
    BatchTimes whole = all_layers;
    whole += head;
    const double stretch = whole.at(point) / whole.at(IntervalPoint::middle);
    step.stages_ps.clear();
    for (std::uint32_t stage = 0; stage < shape.stages(); ++stage) {
      const double share = (shape.first_layer(stage + 1) - shape.first_layer(stage)) / shape.model.layers;
      double s = share * all_layers.at(IntervalPoint::middle);
      if (stage + 1 == shape.stages()) s += head.at(IntervalPoint::middle);
      step.stages_ps.push_back(in_ps(stretch * s));
    }
    step.send_ps = in_ps(kernels_.message_s(batch.tokens));
    step.fixed_ps = in_ps(std::min(whole.at(point), smallest().at(point)));
  }

  TimePs shared_experts_ps(std::uint64_t tokens, std::uint32_t most, IntervalPoint point) override {
    if (!kernels_.shares_experts()) return 0;
    const std::scoped_lock lock(mutex_);
    const auto [known, is_new] = by_shared_tokens_.try_emplace(tokens << 32 | most);
    if (is_new) known->second = kernels_.shared_experts(static_cast<double>(tokens), most);
    return in_ps(known->second.at(point));
  }

 private:
  static TimePs in_ps(double s) { return static_cast<TimePs>(std::llround(s * static_cast<double>(kPsPerSecond))); }

  [[nodiscard]] std::uint32_t padded(std::uint32_t tokens) const {
    const auto size = std::lower_bound(graph_tokens_.begin(), graph_tokens_.end(), std::int64_t{tokens});
    return size == graph_tokens_.end() ? tokens : static_cast<std::uint32_t>(*size);
  }

  /// All of them, without the head.
  BatchTimes layers(const Batch& batch) {
    BatchTimes step = by_tokens(padded(batch.tokens));
    for (const PromptPiece& piece : batch.pieces) step[Part::prompts] += by_piece(piece);
    if (batch.decodes > 0) {
      const double mean = static_cast<double>(batch.context_sum) / batch.decodes;
      const PartTime at_mean = between_contexts(batch.decodes, mean),
                     at_longest = between_contexts(batch.decodes, batch.longest_context);
      step[Part::decodes] += (1 - kSkew) * at_mean;
      step[Part::decodes] += kSkew * at_longest;
    }
    return step;
  }
  /// One token, and what it looks at for nothing.
  BatchTimes smallest() {
    BatchTimes step = by_tokens(padded(1));
    step += by_sequences(1);
    return step;
  }

  const BatchTimes& by_tokens(std::uint32_t tokens) {
    const auto [known, is_new] = by_tokens_.try_emplace(tokens);
    if (is_new) known->second = kernels_.by_tokens(tokens);
    return known->second;
  }
  const BatchTimes& by_sequences(std::uint32_t sequences) {
    const auto [known, is_new] = by_sequences_.try_emplace(sequences);
    if (is_new) known->second = kernels_.by_sequences(sequences);
    return known->second;
  }
  const PartTime& by_piece(const PromptPiece& piece) {
    if (by_piece_.size() >= kMostPieces) by_piece_.clear();
    const auto [known, is_new] = by_piece_.try_emplace((std::uint64_t{piece.tokens} << 32) | piece.before);
    if (is_new) known->second = kernels_.prompt(piece);
    return known->second;
  }

  PartTime between_contexts(std::uint32_t count, double context) {
    const auto index =
        static_cast<std::uint32_t>(std::max(0.0, std::floor(std::log(context) / std::log(kContextStep))));
    const double lower = std::pow(kContextStep, index), upper = lower * kContextStep;
    const double share = std::clamp((context - lower) / (upper - lower), 0.0, 1.0);
    PartTime time = (1 - share) * at_context(count, index, lower);
    time += share * at_context(count, index + 1, upper);
    return time;
  }
  const PartTime& at_context(std::uint32_t count, std::uint32_t index, double context) {
    const auto [known, is_new] = by_context_.try_emplace((std::uint64_t{count} << 32) | index);
    if (is_new) known->second = kernels_.decodes(count, context);
    return known->second;
  }

  const ModelKernels kernels_;
  const std::vector<std::int64_t> graph_tokens_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, BatchTimes> by_tokens_, by_sequences_;
  std::unordered_map<std::uint64_t, BatchTimes> by_shared_tokens_;
  std::unordered_map<std::uint64_t, PartTime> by_piece_, by_context_;
};

class ModelCost : public StepCost {
 public:
  ModelCost(std::shared_ptr<ModelPrices> prices, IntervalPoint point) : prices_(std::move(prices)), point_(point) {}
  [[nodiscard]] StepPrice price(const Batch& batch) const override { return prices_->price(batch, point_); }
  void price_stages(const Batch& batch, StagedStep& step) const override { prices_->price_stages(batch, point_, step); }
  [[nodiscard]] TimePs shared_experts_ps(std::uint64_t tokens, std::uint32_t most) const override {
    return prices_->shared_experts_ps(tokens, most, point_);
  }

 private:
  const std::shared_ptr<ModelPrices> prices_;
  const IntervalPoint point_;
};

}  // namespace

double blocks_left(const InferencePlan& plan, const MemoryOptions& options, const machine::Device& device,
                   double block_tokens, double memory_share) {
  double blocks = std::numeric_limits<double>::infinity();
  for (std::uint32_t stage = 0; stage < plan.shape.stages(); ++stage) {
    const InferenceMemory memory = inference_memory(plan, options, stage);
    const double left = memory_share * device.memory_bytes() - memory.weights - memory.workspace;
    const double layers = plan.shape.first_layer(stage + 1) - plan.shape.first_layer(stage);
    blocks = std::min(blocks, std::floor(left / (block_tokens * cache_bytes_per_token(plan) * layers)));
  }
  return blocks;
}

Result<std::shared_ptr<ModelPrices>> model_prices(const ModelCostInput& input) {
  auto format = format_of(input.plan.precision);
  if (!format)
    return Error{fmt::format("nobody measured products in {}",
                             machine::kDataTypeNames[static_cast<std::size_t>(input.plan.precision)]),
                 {},
                 Error::kNoOffset,
                 "bf16, fp8 or fp4"};
  KernelDevice kernels = kernel_device(input.catalog.devices, input.device);
  for (std::size_t kind = 0; kind < machine::kWarmKindNames.size(); ++kind) {
    if (const Status read = kernels.warm.read(static_cast<machine::WarmKind>(kind)); !read) return read.error();
  }
  // Where nobody measured these, those with one scale are the nearest.
  const bool has_blocks =
      kernels.warm.find({.kind = machine::WarmKind::gemm, .format = WarmFormat::fp8_block}) != nullptr;
  if (format == WarmFormat::fp8 && input.plan.shape.model.block_scaled_fp8 && has_blocks)
    format = WarmFormat::fp8_block;
  auto collectives = collectives_of(input.catalog.devices, input.device);
  if (!collectives) return collectives.error();
  ModelKernels model(input.plan, std::move(kernels), std::move(*collectives), *format, input.rail);
  if (const Status good = model.check(); !good) return good.error();
  return std::shared_ptr<ModelPrices>(std::make_shared<RememberedPrices>(std::move(model), input.graph_tokens));
}

std::unique_ptr<StepCost> model_cost(std::shared_ptr<ModelPrices> prices, IntervalPoint point) {
  return std::make_unique<ModelCost>(std::move(prices), point);
}

}  // namespace orrery::llm

#include "llm/engine/model_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "llm/attention.h"
#include "llm/collectives/device_collectives.h"
#include "llm/kernels/kernel_devices.h"
#include "llm/kernels/kernel_list.h"
#include "machine/warm/kernel_tables.h"

namespace orrery::llm {
namespace {

using machine::WarmFormat;
using machine::WarmKernel;
using machine::WarmKind;

// A kernel of a graph that hardly does anything: between the end of one and the end of the next.
constexpr double kSmallKernelS = 1.5e-6;
// How far attention over unequal contexts goes from its time at the mean towards that at the longest: asked for by
// recorded runs of an engine (docs/SERVING.md).
constexpr double kSkew = 0.04;
// Contexts in between lie on straight lines: a step's price changes with every token, and is not made anew each time.
constexpr double kContextStep = 1.125;
// Element-wise kernels and sampling have no measured intervals of their own.
constexpr double kUnmeasuredLow = 0.8, kUnmeasuredHigh = 1.25;

/// Parts of a step whose errors are independent.
enum class Part : std::uint8_t { products, prompts, decodes, experts, small, collectives };
constexpr std::size_t kBatchParts = 6;

struct PartTime {
  double s = 0, low_s = 0, high_s = 0;

  PartTime& operator+=(const PartTime& other) {
    s += other.s;
    low_s += other.low_s;
    high_s += other.high_s;
    return *this;
  }
  friend PartTime operator*(double times, const PartTime& one) {
    return {times * one.s, times * one.low_s, times * one.high_s};
  }
};

struct BatchTimes {
  std::array<PartTime, kBatchParts> parts;

  PartTime& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  BatchTimes& operator+=(const BatchTimes& other) {
    for (std::size_t i = 0; i < kBatchParts; ++i) parts[i] += other.parts[i];
    return *this;
  }
  [[nodiscard]] double at(Estimate estimate) const {
    double sum = 0, squares = 0;
    for (const PartTime& part : parts) {
      sum += part.s;
      const double off = estimate == Estimate::low ? part.s - part.low_s : part.high_s - part.s;
      squares += off * off;
    }
    if (estimate == Estimate::middle) return sum;
    return estimate == Estimate::low ? sum - std::sqrt(squares) : sum + std::sqrt(squares);
  }
};

std::optional<WarmFormat> format_of(machine::DataType type) {
  switch (type) {
    case machine::DataType::bf16:
    case machine::DataType::fp16: return WarmFormat::bf16;
    case machine::DataType::fp8: return WarmFormat::fp8;
    case machine::DataType::fp4: return WarmFormat::nvfp4;
    default: return std::nullopt;
  }
}

class KernelPrices : public ModelPrices {
 public:
  KernelPrices(const ModelCostInput& input, KernelDevice kernels, std::optional<DeviceCollectives> collectives,
               WarmFormat format)
      : plan_(input.plan),
        model_(input.plan.shape.model),
        kernels_(std::move(kernels)),
        collectives_(std::move(collectives)),
        format_(format),
        graph_tokens_(input.graph_tokens) {}

  /// Every kind of kernel that a step may have is there.
  Status check() {
    BatchTimes probe;
    products(probe, 1);
    prompt(probe, {.tokens = 1});
    probe += decodes(1, 1);
    if (!missing_.empty())
      return Error{fmt::format("nobody measured {} on '{}' or on a device like it", missing_, kernels_.device.name),
                   {},
                   Error::kNoOffset,
                   "costs: {kind: table} takes profiled times of your own"};
    return {};
  }

  [[nodiscard]] std::string basis() const override {
    return kernels_.warm.is_relative() ? kernels_.warm.owner() : "measured";
  }

  StepPrice price(const Batch& batch, Estimate estimate) override {
    const std::scoped_lock lock(mutex_);
    BatchTimes step = by_tokens(padded(batch.tokens));
    step += by_sequences(std::max(1U, batch.sampled));
    for (const PromptPiece& piece : batch.pieces) prompt(step, piece);
    if (batch.decodes > 0) {
      const double mean = static_cast<double>(batch.context_sum) / batch.decodes;
      const PartTime at_mean = between_contexts(batch.decodes, mean),
                     at_longest = between_contexts(batch.decodes, batch.longest_context);
      step[Part::decodes] += (1 - kSkew) * at_mean;
      step[Part::decodes] += kSkew * at_longest;
    }
    BatchTimes smallest = by_tokens(padded(1));
    smallest += by_sequences(1);
    const auto in_ps = [](double s) {
      return static_cast<TimePs>(std::llround(s * static_cast<double>(kPsPerSecond)));
    };
    return {in_ps(step.at(estimate)), in_ps(std::min(step.at(estimate), smallest.at(estimate)))};
  }

 private:
  [[nodiscard]] double tensor() const { return plan_.shape.job.tensor; }
  [[nodiscard]] double key_heads() const { return std::max(1.0, model_.kv_heads / tensor()); }

  [[nodiscard]] std::uint32_t padded(std::uint32_t tokens) const {
    const auto size = std::lower_bound(graph_tokens_.begin(), graph_tokens_.end(), std::int64_t{tokens});
    return size == graph_tokens_.end() ? tokens : static_cast<std::uint32_t>(*size);
  }

  /// As timed over and over on the same buffers.
  PartTime warm(const WarmKernel& kernel) {
    const machine::FormatTable* table = kernels_.warm.find(kernel);
    if (table == nullptr) {
      missing_ = fmt::format("{} in {}", machine::kWarmKindNames[static_cast<std::size_t>(kernel.kind)],
                             machine::kWarmFormatNames[static_cast<std::size_t>(kernel.format)]);
      return {};
    }
    const machine::WarmPrice found =
        machine::warm_price(kernels_.device, *table, kernel, kernels_.warm.is_relative() ? kWidenedByRelative : 1);
    return {found.seconds, found.low_s, found.high_s};
  }

  /// Weights come from memory: by how much the formula takes longer without a cache.
  PartTime cold(const WarmKernel& kernel) {
    const PartTime time = warm(kernel);
    const machine::FormatTable* table = kernels_.warm.find(kernel);
    if (table == nullptr) return time;
    machine::WarmConstants without = table->constants;
    std::visit([](auto& constants) { constants.cache_share = 1e-6; }, without);
    return machine::warm_time(kernels_.device, without, kernel).seconds /
           machine::warm_time(kernels_.device, table->constants, kernel).seconds * time;
  }

  PartTime product(double m, double n, double k) {
    return cold({.kind = WarmKind::gemm, .format = format_, .m = m, .n = whole_extent(n), .k = whole_extent(k)});
  }

  [[nodiscard]] PartTime streaming(ElementwiseRate rate, double bytes) const {
    const double s = kSmallKernelS + elementwise_seconds(kernels_.device, rate, bytes);
    return {s, kUnmeasuredLow * s, kUnmeasuredHigh * s};
  }

  /// Two matrices, or three of which two are one product.
  PartTime mlp(double m, double ffn) {
    PartTime time = product(m, (model_.plain_mlp ? 1 : 2) * ffn / tensor(), model_.hidden);
    time += product(m, model_.hidden, ffn / tensor());
    return time;
  }

  /// Experts of a rank: all of them cut, or some of them whole.
  PartTime experts(double m) {
    const Experts& e = *model_.experts;
    const double groups = std::min(plan_.shape.job.expert, tensor());
    const double chosen = e.chosen / groups;
    return cold({.kind = WarmKind::moe,
                 .format = format_,
                 .m = m * std::min(1.0, chosen),
                 .hidden = model_.hidden,
                 .inter = e.ffn,
                 .experts = e.count / groups,
                 .top_k = std::max(1.0, chosen),
                 .tp = tensor() / groups});
  }

  void products(BatchTimes& step, double m) {
    const double layers = model_.layers, dense_layers = model_.experts ? model_.experts->dense_layers : layers;
    PartTime layer;
    for (const Projection& one : attention_projections(model_, tensor())) layer += product(m, one.out, one.in);
    step[Part::products] += layers * layer;
    if (dense_layers > 0) step[Part::products] += dense_layers * mlp(m, model_.ffn);
    if (model_.experts) {
      step[Part::experts] += (layers - dense_layers) * experts(m);
      step[Part::products] += (layers - dense_layers) * product(m, model_.experts->count, model_.hidden);
      if (model_.experts->shared_ffn > 0)
        step[Part::products] += (layers - dense_layers) * mlp(m, model_.experts->shared_ffn);
    }
  }

  void small_kernels(BatchTimes& step, double m) {
    using Shares = machine::ElementwiseShares;
    // A norm reads the layer's result and the residual stream, and writes both.
    const double hidden_bytes = m * model_.hidden * kElementBytes;
    PartTime layer = 2 * streaming(&Shares::norm_forward, 4 * hidden_bytes);
    layer += streaming(&Shares::rotary_forward, 2 * hidden_bytes / tensor());
    layer += streaming(&Shares::activation_forward, 3 * m * model_.ffn / tensor() * kElementBytes);
    step[Part::small] += model_.layers * layer;
  }

  void reduces(BatchTimes& step, double m) {
    if (tensor() <= 1) return;
    const double bytes = m * model_.hidden * kElementBytes;
    const machine::CollectiveCall call{machine::NodeCollective::all_reduce, static_cast<std::int64_t>(tensor()), bytes};
    PartTime one;
    if (const auto found = collectives_ ? collectives_->estimate(call, 1, {}) : std::nullopt) {
      one = {found->us * 1e-6, found->low_us.value_or(found->us) * 1e-6, found->high_us.value_or(found->us) * 1e-6};
    } else {
      // Nobody measured any: a ring over the link, with a launch.
      const double s = 10e-6 + machine::wire_factor(call.op, tensor()) * bytes / kernels_.device.scale_up_bytes_per_s();
      one = {s, kUnmeasuredLow * s, kUnmeasuredHigh * s};
    }
    step[Part::collectives] += 2 * model_.layers * one;
  }

  const BatchTimes& by_tokens(std::uint32_t tokens) {
    const auto [known, is_new] = by_tokens_.try_emplace(tokens);
    if (!is_new) return known->second;
    products(known->second, tokens);
    small_kernels(known->second, tokens);
    reduces(known->second, tokens);
    return known->second;
  }

  /// The head, and choosing a token.
  const BatchTimes& by_sequences(std::uint32_t sequences) {
    const auto [known, is_new] = by_sequences_.try_emplace(sequences);
    if (!is_new) return known->second;
    // Heads are kept in 16 bits.
    known->second[Part::products] += cold({.kind = WarmKind::gemm,
                                           .m = static_cast<double>(sequences),
                                           .n = whole_extent(model_.vocabulary / tensor()),
                                           .k = model_.hidden});
    known->second[Part::small] +=
        streaming(&machine::ElementwiseShares::cross_entropy, sequences * model_.vocabulary * 4.0);
    return known->second;
  }

  [[nodiscard]] WarmKernel attention(WarmKind grouped, WarmKind latent, double batch, double sequence) const {
    const bool is_latent = model_.latent_attention.has_value();
    return {.kind = is_latent ? latent : grouped,
            .cache_element_bytes = plan_.kv_cache_bytes,
            .batch = batch,
            .heads = std::max(1.0, model_.heads / tensor()),
            .kv_heads = is_latent ? std::max(1.0, model_.heads / tensor()) : key_heads(),
            .seq = sequence,
            .dim = model_.head_size};
  }

  /// What a piece adds: the attention of the prompt up to its end, without that up to its beginning.
  void prompt(BatchTimes& step, const PromptPiece& piece) {
    const std::uint64_t key = (std::uint64_t{piece.tokens} << 32) | piece.before;
    const auto [known, is_new] = by_piece_.try_emplace(key);
    if (is_new) {
      const auto whole = [&](double sequence) {
        return warm(attention(WarmKind::sdpa_fwd, WarmKind::mla_fwd, 1, sequence));
      };
      PartTime time = whole(piece.tokens);
      if (piece.before > 0) {
        const PartTime end = whole(static_cast<double>(piece.before) + piece.tokens), begin = whole(piece.before);
        const double added = std::max(time.s, end.s - begin.s);
        time = {added, added * end.low_s / end.s, added * end.high_s / end.s};
      }
      known->second = model_.layers * time;
    }
    step[Part::prompts] += known->second;
  }

  BatchTimes decodes(std::uint32_t count, double context) {
    BatchTimes step;
    step[Part::decodes] += between_contexts(count, context);
    return step;
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
    if (is_new)
      known->second = model_.layers * warm(attention(WarmKind::sdpa_decode, WarmKind::mla_decode, count, context));
    return known->second;
  }

  const InferencePlan plan_;
  const Architecture model_;
  const KernelDevice kernels_;
  const std::optional<DeviceCollectives> collectives_;
  const WarmFormat format_;
  const std::vector<std::int64_t> graph_tokens_;
  std::string missing_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, BatchTimes> by_tokens_, by_sequences_;
  std::unordered_map<std::uint64_t, PartTime> by_piece_, by_context_;
};

class ModelCost : public StepCost {
 public:
  ModelCost(std::shared_ptr<ModelPrices> prices, Estimate estimate) : prices_(std::move(prices)), estimate_(estimate) {}
  [[nodiscard]] StepPrice price(const Batch& batch) const override { return prices_->price(batch, estimate_); }

 private:
  const std::shared_ptr<ModelPrices> prices_;
  const Estimate estimate_;
};

}  // namespace

double blocks_left(const InferencePlan& plan, const MemoryOptions& options, const machine::Device& device,
                   double block_tokens, double memory_share) {
  const InferenceMemory memory = inference_memory(plan, options, 0);
  const double left = memory_share * device.memory_bytes() - memory.weights - memory.workspace;
  return std::floor(left / (block_tokens * cache_bytes_per_token(plan) * plan.shape.model.layers));
}

Result<std::shared_ptr<ModelPrices>> model_prices(const ModelCostInput& input) {
  const auto format = format_of(input.plan.precision);
  if (!format)
    return Error{fmt::format("nobody measured products in {}",
                             machine::kDataTypeNames[static_cast<std::size_t>(input.plan.precision)]),
                 {},
                 Error::kNoOffset,
                 "bf16, fp8 or fp4"};
  KernelDevice kernels = kernel_device(input.catalog.devices, input.device);
  for (std::size_t kind = 0; kind < machine::kWarmKindNames.size(); ++kind) {
    if (const Status read = kernels.warm.read(static_cast<WarmKind>(kind)); !read) return read.error();
  }
  auto collectives = collectives_of(input.catalog.devices, input.device);
  if (!collectives) return collectives.error();
  auto prices = std::make_shared<KernelPrices>(input, std::move(kernels), std::move(*collectives), *format);
  if (const Status good = prices->check(); !good) return good.error();
  return std::shared_ptr<ModelPrices>(std::move(prices));
}

std::unique_ptr<StepCost> model_cost(std::shared_ptr<ModelPrices> prices, Estimate estimate) {
  return std::make_unique<ModelCost>(std::move(prices), estimate);
}

}  // namespace orrery::llm

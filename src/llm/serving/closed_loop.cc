#include "llm/serving/closed_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "llm/attention.h"

namespace orrery::llm {
namespace {

using machine::DataType;

constexpr double kActivationBytes = 2;
constexpr double kHeadBytes = 2;  // embedding and head are not quantised
/// Benchmarks of serving send ten times as many requests as run at once; the first ones all come together.
constexpr double kRounds = 10;

// Four bits have a scale of eight per sixteen elements (NVFP4; MXFP4: per 32), int4 one of sixteen per 32.
constexpr std::array kWeightFormats = {
    WeightFormat{"fp4", 0.5625, 1, DataType::fp4},    WeightFormat{"nvfp4", 0.5625, 1, DataType::fp4},
    WeightFormat{"mxfp4", 0.5312, 1, DataType::fp4},  WeightFormat{"int4", 0.5625, 1, DataType::bf16},
    WeightFormat{"w4a16", 0.5625, 1, DataType::bf16}, WeightFormat{"fp8", 1, 1, DataType::fp8},
    WeightFormat{"int8", 1, 1, DataType::int8},       WeightFormat{"bf16", 2, 2, DataType::bf16},
    WeightFormat{"fp16", 2, 2, DataType::bf16}};

/// Parameters by what becomes of them in a step.
struct Matrices {
  double attention = 0;  ///< of one rank, all layers
  double dense = 0;      ///< of all ranks: MLPs that every token passes
  double expert = 0;     ///< one expert
  double expert_layers = 0;
  double head = 0;
};

Matrices matrices_of(const Architecture& m, double tensor) {
  const double mlp = (m.plain_mlp ? 2 : 3) * m.hidden;
  Matrices result{.attention = m.layers * parameters_of_all(attention_projections(m, tensor)),
                  .dense = m.layers * mlp * m.ffn,
                  .head = m.vocabulary * m.hidden};
  if (!m.experts) return result;
  result.expert_layers = m.layers - m.experts->dense_layers;
  result.expert = mlp * m.experts->ffn;
  result.dense = m.experts->dense_layers * mlp * m.ffn + result.expert_layers * mlp * m.experts->shared_ffn;
  return result;
}

/// Everything about the loop that several terms ask for.
struct Server {
  const machine::Device& device;
  const StackConstants& c;
  const StackRates& rates;
  const Architecture& model;
  const LoopShape& loop;
  Matrices matrices;
  double devices = 1;

  [[nodiscard]] bool is_four_bit() const { return loop.format.weight_bytes < 1; }
  /// Checkpoints of four bits quantise the experts; attention stays as it was.
  [[nodiscard]] double attention_bytes() const {
    return is_four_bit() && model.experts ? kHeadBytes : loop.format.weight_bytes;
  }
  [[nodiscard]] double chosen() const { return model.experts ? model.experts->chosen : 0; }
  /// Parameters that a token is multiplied with, on all ranks, without the head.
  [[nodiscard]] double active() const {
    const double attention = model.layers * parameters_of_all(attention_projections(model, 1));
    return attention + matrices.dense + matrices.expert_layers * chosen() * matrices.expert;
  }
  /// Devices without units for the format widen the weights and compute in 16 bits.
  [[nodiscard]] double peak() const {
    const bool has_units = device.matrix_peak_tflops[loop.format.products].has_value();
    if (!has_units) return device.peak_flops(DataType::bf16);
    return device.peak_flops(loop.format.products) *
           (loop.format.products == DataType::fp4 ? c.four_bit_matrix_share : 1);
  }
  [[nodiscard]] double cache_bytes_per_token() const {
    return model.layers * model.attention_window_share * key_value_width(model, loop.tensor) * loop.format.cache_bytes;
  }
};

/// Requests whose cache fits beside the weights, all replicas together.
double seats_of(const Server& s) {
  const double experts = s.model.experts ? s.model.experts->count * s.matrices.expert * s.matrices.expert_layers : 0;
  const double weights =
      s.matrices.attention * s.attention_bytes() + s.matrices.dense * s.loop.format.weight_bytes / s.loop.tensor +
      experts * s.loop.format.weight_bytes / s.devices + 2 * s.matrices.head * kHeadBytes / s.loop.tensor;
  const double left = s.c.usable_memory_share * s.device.memory_bytes() - weights;
  const double each = s.cache_bytes_per_token() * (s.loop.prompt + s.loop.generate);
  // A server that was measured held its weights: where they do not fit by this count, it is the count that is off.
  return left > each ? s.loop.replicas * left / each : s.loop.requests;
}

/// Of one rank, per step: what of the experts is read is what some token chose.
double weight_bytes_read(const Server& s, double requests) {
  const double dense_factor = s.is_four_bit() ? s.c.four_bit_read_factor : 1;
  // Where attention keeps its format, nothing slows its products down either.
  const double attention_factor = s.model.experts ? 1 : dense_factor;
  double bytes = s.matrices.attention * s.attention_bytes() * attention_factor +
                 s.matrices.dense * s.loop.format.weight_bytes * (s.model.experts ? 1 : dense_factor) / s.loop.tensor +
                 s.matrices.head * kHeadBytes / s.loop.tensor;
  if (!s.model.experts) return bytes;
  const Experts& e = *s.model.experts;
  const double touched = e.count * (1 - std::pow(1 - e.chosen / e.count, requests));
  return bytes + s.matrices.expert_layers * touched * s.matrices.expert * s.loop.format.weight_bytes / s.devices;
}

double launch_seconds(const Server& s) {
  double us = s.model.layers * s.rates.layer_us + s.matrices.expert_layers * s.rates.expert_layer_us;
  if (s.model.latent_attention) us += s.model.layers * s.rates.latent_layer_us;
  return us * 1e-6;
}

/// Two exchanges per layer: all-reduces of tensor ranks; with whole layers on each rank, tokens on their way to experts
/// and back.
double exchange_seconds(const Server& s, double tokens, double bandwidth) {
  const bool reduces = s.loop.tensor > 1;
  if (!reduces && (s.devices <= 1 || !s.model.experts)) return 0;
  const double passes = reduces ? 2 * (s.loop.tensor - 1) / s.loop.tensor : 1;
  return 2 * s.model.layers *
         (s.rates.all_reduce_us * 1e-6 + passes * tokens * s.model.hidden * kActivationBytes / bandwidth);
}

double loop_step_seconds(const Server& s, double requests) {
  const double own = requests / s.loop.replicas;
  const double context = s.loop.prompt + s.loop.generate / 2;
  const double bytes = weight_bytes_read(s, requests) + own * context * s.cache_bytes_per_token();
  const double memory = bytes / (s.rates.memory_share * s.device.memory_bytes_per_s());
  const double products = 2 * (s.active() + s.matrices.head) * requests / (s.devices * s.peak());
  // Latent attention reads its cache once for all heads, which makes it arithmetic.
  const double head = s.model.latent_attention
                          ? 2 * s.model.latent_attention->key_value_rank + s.model.latent_attention->rotary_size
                          : 2 * s.model.head_size;
  const double attention = 2 * own * context * s.model.attention_window_share * s.model.layers * s.model.heads * head /
                           (s.loop.tensor * s.device.peak_flops(DataType::bf16));
  return launch_seconds(s) + memory + (products + attention) / s.c.decode_matrix_share +
         exchange_seconds(s, own, s.rates.all_reduce_share * s.device.scale_up_bytes_per_s());
}

/// One prompt on all devices: replicas read different ones at a time.
double one_prompt_seconds(const Server& s) {
  const double tokens = s.loop.prompt;
  const double attention = s.model.layers * attention_flop_of_layer(s.model, tokens, tokens, 1);
  const double math = 2 * s.active() * tokens / s.peak() + attention / s.device.peak_flops(DataType::bf16);
  return math / (s.rates.prompt_matrix_share * s.devices) +
         (launch_seconds(s) + exchange_seconds(s, tokens, s.c.prompt_network_share * s.device.scale_up_bytes_per_s())) /
             s.loop.replicas;
}

/// A queue with bulk service: a step takes all prompts that came during the one before it, whose number is Poisson's.
/// A request waits for the rest of the step that it comes in, which is a long one more likely than a short one, and for
/// the prompts that came with it.
double random_first_token(double step, double prompt, double requests, double generate) {
  if (requests <= 1) return step + prompt;
  const double prompts = (requests - 1) / generate, mean = step + prompts * prompt;
  const double longer = 1 + prompts * prompt * prompt / (mean * mean);  // mean of the squares over the mean's square
  return mean / 2 * longer + step + prompt + prompts * prompt * longer;
}

}  // namespace

const WeightFormat* weight_format_called(std::string_view name) {
  const std::string wanted = normalised_name(name);
  const auto* found = std::find_if(kWeightFormats.begin(), kWeightFormats.end(),
                                   [&](const WeightFormat& one) { return one.name == wanted; });
  return found == kWeightFormats.end() ? nullptr : found;
}

const StackRates* find_stack(const StackConstants& constants, std::string_view stack, std::string_view generation) {
  const std::string wanted = normalised_name(stack);
  bool known = false;
  for (const StackRates& one : constants.stacks) {
    if (normalised_name(one.stack) != wanted) continue;
    known = true;
    if (std::find(one.generations.begin(), one.generations.end(), generation) != one.generations.end()) return &one;
  }
  return known ? &constants.common : nullptr;
}

LoopTimes closed_loop(const machine::Device& device, const StackConstants& constants, const StackRates& rates,
                      const Architecture& model, const LoopShape& loop) {
  const Server server{.device = device,
                      .c = constants,
                      .rates = rates,
                      .model = model,
                      .loop = loop,
                      .matrices = matrices_of(model, loop.tensor),
                      .devices = loop.tensor * loop.replicas};
  LoopTimes times{.seats = seats_of(server)};
  const double requests = std::min(loop.requests, times.seats);
  const double step = loop_step_seconds(server, requests), prompt = one_prompt_seconds(server);
  // Its own prompt comes before a request's first token.
  times.token_s = step + prompt * std::max(0.0, requests - 1) / loop.generate;
  times.spread_s = step + prompt;
  times.random_s = random_first_token(step, prompt, requests, loop.generate);
  times.together_s = step + prompt * requests;
  times.benchmark_s = (step + prompt * (requests + 1) / 2 + (kRounds - 1) * times.random_s) / kRounds;
  // Those without a seat wait until one of the others is done.
  const double queue = std::max(0.0, loop.requests / times.seats - 1) * times.token_s * loop.generate;
  for (double* time : {&times.spread_s, &times.random_s, &times.together_s, &times.benchmark_s}) *time += queue;
  return times;
}

}  // namespace orrery::llm

#include "llm/closed_forms/core_layers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "llm/closed_forms/eager_block.h"

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

constexpr double kDiagonalBlock = 128;  // as in machine/device/kernel_attention
constexpr double kBothPasses = 3.5;     // attention forward and backward, in forward passes

/// Forward, and both products of the backward pass.
double three_products(const machine::Device& device, double rows, Projection p, double batch = 1) {
  const machine::GemmRun run = machine::in_stream(device);
  const double m = whole_extent(rows), n = whole_extent(p.out), k = whole_extent(p.in), b = std::floor(batch);
  return machine::gemm_seconds(device, {.m = m, .n = n, .k = k, .batch = b}, run) +
         machine::gemm_seconds(device, {.m = m, .n = k, .k = n, .batch = b}, run) +
         machine::gemm_seconds(device, {.m = n, .n = k, .k = m, .batch = b}, run);
}

double seconds_of_all(const machine::Device& device, double rows, const std::vector<Projection>& projections) {
  double sum = 0;
  for (const Projection& one : projections) sum += three_products(device, rows, one);
  return sum;
}

/// Eager kernels move the bytes that fused ones are a factor of.
double elementwise_of_layer(const machine::Device& device, const Architecture& m, double tokens) {
  const BlockShape block{.style = m.plain_mlp ? BlockStyle::gpt : BlockStyle::llama,
                         .batch = 1,
                         .sequence = tokens,
                         .hidden = m.hidden,
                         .ffn = m.experts ? m.experts->chosen * m.experts->ffn : m.ffn,
                         .heads = m.heads,
                         .kv_width = m.kv_width()};
  double sum = 0;
  for (const auto& list : {forward_kernels(block), backward_kernels(block)}) {
    for (const Kernel& kernel : list) {
      if (kernel.kind == Kernel::Kind::elementwise) sum += elementwise_seconds(device, kernel.rate, kernel.bytes);
    }
  }
  return sum;
}

}  // namespace

double parameters_of_all(const std::vector<Projection>& projections) {
  double sum = 0;
  for (const Projection& one : projections) sum += one.out * one.in;
  return sum;
}

std::vector<Projection> attention_projections(const Architecture& m, double tp) {
  if (!m.latent_attention)
    return {{(m.heads + 2 * m.kv_heads) * m.head_size / tp, m.hidden}, {m.hidden, m.heads * m.head_size / tp}};
  const LatentAttention& l = *m.latent_attention;
  // Down-projections are small and not split; up-projections are, by heads.
  return {{l.query_rank + l.key_value_rank + l.rotary_size, m.hidden},
          {m.heads * (l.plain_size + l.rotary_size) / tp, l.query_rank},
          {m.heads * (l.plain_size + l.value_size) / tp, l.key_value_rank},
          {m.hidden, m.heads * l.value_size / tp}};
}

double attention_flop_of_layer(const Architecture& m, double tokens, double sequence, double tp) {
  double sizes = 2 * m.head_size;
  if (m.latent_attention)
    sizes = m.latent_attention->plain_size + m.latent_attention->rotary_size + m.latent_attention->value_size;
  return 2 * tokens * m.heads / tp * sizes * (sequence + kDiagonalBlock) / 2 * m.attention_window_share;
}

CoreWork core_work(const machine::Device& device, const Architecture& m, const ParallelJob& job, double logit_bytes) {
  const double tp = job.tensor, pp = job.pipeline, h = m.hidden, memory = device.memory_bytes_per_s();
  const double tokens = std::floor(job.micro_batch * job.sequence / job.context), rank_tokens = tokens / tp;
  const double layers = m.layers + m.prediction_layers;
  const std::vector<Projection> attention = attention_projections(m, tp);
  const std::vector<Projection> mlp = {{(m.plain_mlp ? 1 : 2) * m.ffn / tp, h}, {h, m.ffn / tp}};
  const double attention_products = seconds_of_all(device, tokens, attention),
               attention_parameters = parameters_of_all(attention);
  const double mlp_parameters = parameters_of_all(mlp);

  CoreWork work;
  double products = 0, parameters = 0;
  if (m.experts) {
    const Experts& e = *m.experts;
    const double with_experts = layers - e.dense_layers;
    const double local = std::max(1.0, std::floor(e.count / job.expert));
    const double rows = job.expert <= e.count ? rank_tokens * e.chosen * job.expert / e.count : rank_tokens * e.chosen;
    work.expert_layers = with_experts / pp;
    work.local_experts = local;
    work.expert_products = work.expert_layers * (three_products(device, rows, {2 * e.ffn, h}, local) +
                                                 three_products(device, rows, {h, e.ffn}, local));
    work.permute_pass = work.expert_layers * rank_tokens * e.chosen * h * kElementBytes / memory;
    work.activation_pass = work.expert_layers * rank_tokens * e.chosen * e.ffn * kElementBytes / memory;
    const double shared =
        e.shared_ffn > 0 ? seconds_of_all(device, tokens, {{2 * e.shared_ffn / tp, h}, {h, e.shared_ffn / tp}}) : 0;
    const double dense = e.dense_layers > 0 ? e.dense_layers * seconds_of_all(device, tokens, mlp) : 0;
    products = layers * attention_products + dense + with_experts * shared;
    // Experts are reduced only over their own replicas, which are fewer.
    const double replicas = std::max(1.0, std::floor(job.devices / (pp * job.expert)));
    const double of_experts = with_experts * local * 3 * h * e.ffn / pp * (replicas - 1) / replicas;
    parameters = (m.layers * attention_parameters + e.dense_layers * mlp_parameters +
                  with_experts * (3 * h * e.shared_ffn / tp + e.count * h)) /
                     pp +
                 of_experts;
    work.model_parameters =
        m.layers * attention_parameters * tp + with_experts * e.count * 3 * h * e.ffn + 2 * m.vocabulary * h;
  } else {
    products = m.layers * (attention_products + seconds_of_all(device, tokens, mlp));
    parameters = m.layers * (attention_parameters + mlp_parameters) / pp;
    work.model_parameters = m.layers * (attention_parameters + mlp_parameters) * tp + 2 * m.vocabulary * h;
  }
  work.layers = layers / pp;
  work.dense_products = products / pp;
  work.attention = kBothPasses * work.layers * attention_flop_of_layer(m, tokens, job.sequence, tp) /
                   device.peak_flops(machine::DataType::bf16);
  work.elementwise = work.layers * elementwise_of_layer(device, m, tokens) / tp;
  work.heads = 1 + m.prediction_layers;
  work.head_products = three_products(device, tokens, {m.vocabulary / tp, h});
  work.head_elementwise = elementwise_seconds(device, &Shares::cross_entropy, logit_bytes * tokens * m.vocabulary / tp);
  work.tensor_bytes = kElementBytes * tokens * h * (tp - 1) / tp;
  work.rank_parameters = parameters + m.vocabulary * h / tp;
  work.optimizer_parameters = parameters;
  return work;
}

ExchangeBytes exchange_bytes(const machine::Device& device, double tokens, double width, const Experts& experts,
                             const ParallelJob& job, double token_bytes) {
  const double one_copy = 4 * tokens * width * token_bytes;
  const double domain = static_cast<double>(device.scale_up_devices);
  const double domains = job.expert * job.tensor / domain, chosen = experts.chosen;
  if (domains <= 1) return {.inside = one_copy * chosen * (job.expert - 1) / job.expert};
  const double reached = domains_reached(experts, domains);
  return {.inside = one_copy * chosen * (domain - 1) / domain, .across = one_copy * reached * (domains - 1) / domains};
}

}  // namespace orrery::llm

#include "llm/closed_forms/core_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "llm/attention.h"
#include "llm/catalog.h"
#include "llm/closed_forms/eager_block.h"
#include "llm/kernels/kernel_list.h"

// A closed form: the time of one micro-batch on one stage (products, attention, element-wise kernels, exposed tensor
// and expert traffic), times the number of them, plus the bubble of interleaved 1F1B, the optimizer, and what replicas
// exchange beyond what passes cover. Constants are fitted; what each is for stands in the header.

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

constexpr double kBothPasses = 3.5;  // attention forward and backward, in forward passes

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
    // Tokens are spread evenly; with more ranks than experts each expert has several.
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
    // A ring over n replicas moves (n - 1) / n of the gradients.
    const double of_experts = with_experts * local * 3 * h * e.ffn / pp * (replicas - 1) / replicas;
    parameters = (m.layers * attention_parameters + e.dense_layers * mlp_parameters +
                  with_experts * (3 * h * e.shared_ffn / tp + e.count * h)) /
                 pp;
    work.rank_expert_parameters = of_experts;
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
  work.optimizer_parameters = parameters + work.rank_expert_parameters;
  return work;
}

ExchangeBytes exchange_bytes(const machine::Device& device, double tokens, double width, const Experts& experts,
                             const ParallelJob& job, double token_bytes) {
  // To the experts and back, forward and backward: four times.
  const double one_copy = 4 * tokens * width * token_bytes;
  const double domain = static_cast<double>(device.scale_up_devices);
  const double domains = job.expert * job.tensor / domain, chosen = experts.chosen;
  if (domains <= 1) return {.inside = one_copy * chosen * (job.expert - 1) / job.expert};
  const double reached = domains_reached(experts, domains);
  return {.inside = one_copy * chosen * (domain - 1) / domain, .across = one_copy * reached * (domains - 1) / domains};
}

namespace {

using machine::DataType;

/// What both kinds of models need of device and software.
struct CoreContext {
  const machine::Device& device;
  const CoreConstants& c;
  const CoreRates& rates;
  const CorePrecision& precision;
  const CoreRelease release;
  const ParallelJob& job;

  [[nodiscard]] double expert_overhead(double expert_layers, double local_experts) const {
    return expert_layers * (c.expert_us * local_experts + c.expert_layer_us) * 1e-6;
  }
  [[nodiscard]] double exchange(const ExchangeBytes& bytes, double expert_layers) const {
    return expert_layers * (bytes.inside / (rates.tensor_gb_per_s * 1e9) * c.exposed_exchange_share +
                            bytes.across / (c.exchange_gb_per_s * 1e9));
  }
};

/// State-space layers with experts: published operations per token, and bytes per token, layer and width (scan,
/// convolution, permutation, norms).
double hybrid_seconds(const CoreContext& x, const Architecture& model) {
  const Experts experts = model.experts.value_or(Experts{.count = 1, .chosen = 1, .dense_layers = model.layers});
  const ParallelJob& job = x.job;
  const double tokens = job.sequence * job.global_batch / job.devices;
  const double flop = model.hybrid->training_gflop_per_token * 1e9 * tokens;
  const double math = flop / x.device.peak_flops(DataType::bf16) /
                      (x.rates.hybrid_matrix_share * x.precision.hybrid_gain) * x.rates.compute_factor;
  const double memory = x.c.hybrid_bytes * tokens * model.layers * model.hidden / x.device.memory_bytes_per_s() *
                        x.release.hybrid_byte_factor;
  const double expert_layers = std::max(0.0, model.layers - experts.dense_layers) / job.pipeline;
  const double local = std::max(1.0, std::floor(experts.count / job.expert));
  const double micro_tokens = std::floor(job.micro_batch * job.sequence / job.context) / job.tensor;
  const ExchangeBytes bytes =
      exchange_bytes(x.device, micro_tokens, model.hybrid->routed_width, experts, job, x.precision.token_bytes);
  return math + memory +
         job.micro_batches() * (x.expert_overhead(expert_layers, local) * x.release.expert_overhead_factor +
                                x.exchange(bytes, expert_layers));
}

/// One micro-batch on one stage, as far as the device goes.
double device_stage_seconds(const CoreContext& x, const Architecture& model, const CoreWork& work, bool adapters_only) {
  const CoreConstants& c = x.c;
  const double slowdown = x.rates.matrix_slowdown * x.rates.compute_factor;
  double tensor_bytes = work.tensor_bytes;
  // Beyond the scale-up domain, tensor parallelism goes over the nodes' network.
  if (x.job.tensor > static_cast<double>(x.device.scale_up_devices)) tensor_bytes *= c.cross_node_tensor_factor;
  // Eight collectives of sequence parallelism per layer: gather and scatter around attention and MLP, forward and
  // backward.
  const double tensor = 8 * work.layers * tensor_bytes / (x.rates.tensor_gb_per_s * 1e9) * c.exposed_tensor_share;
  const double dense = work.dense_products * slowdown / x.precision.matrix_gain +
                       work.attention / x.rates.attention_share * x.rates.compute_factor +
                       work.elementwise * x.rates.elementwise_factor + tensor;
  double seconds = dense * (adapters_only ? c.adapter_factor : 1) + c.layer_us * 1e-6 * work.layers;
  if (!model.experts) return seconds;
  seconds += work.expert_products * slowdown / x.precision.expert_matrix_gain *
             grouping_factor(c, x.release, work.local_experts);
  seconds += (x.expert_overhead(work.expert_layers, work.local_experts) + c.permute_passes * work.permute_pass +
              c.activation_passes * work.activation_pass) *
             x.release.expert_overhead_factor;
  const double tokens = std::floor(x.job.micro_batch * x.job.sequence / x.job.context) / x.job.tensor;
  return seconds +
         x.exchange(exchange_bytes(x.device, tokens, model.hidden, *model.experts, x.job, x.precision.token_bytes),
                    work.expert_layers);
}

/// One micro-batch on one stage: layers with experts take at least what it takes to launch them.
double stage_seconds(const CoreContext& x, const Architecture& model, const CoreWork& work, const CoreRun& run) {
  const double launches = launch_seconds(x.c, x.release, work.local_experts, {run.captured, run.pairs});
  return std::max(device_stage_seconds(x, model, work, run.adapters_only), work.expert_layers * launches);
}

/// Of a sum over `replicas`, between two of which lie `stride` ranks: over those in a node first, then rail by rail,
/// where each of them carries its part.
double seconds_per_byte(const CoreContext& x, double stride, double replicas) {
  const double node = static_cast<double>(x.device.scale_up_devices);
  const double near = std::clamp(std::floor(node / stride), 1.0, replicas);
  const double inside = (near - 1) / near / (x.rates.tensor_gb_per_s * 1e9);
  return near < replicas ? inside + 1 / near / (x.rates.port_gb_per_s * 1e9) : inside;
}

/// Gradients (fp32) are reduced under the last backward pass and parameters (bf16) gathered under the first forward
/// pass; what those do not cover is exposed, and a residue of all.
double replica_seconds(const CoreContext& x, const CoreWork& work, double stage) {
  if (x.job.data <= 1 || x.job.sharded) return 0;
  // Replicas of what all ranks have follow one another beside tensor ranks, those of experts lie `expert` ranks apart.
  const double replicas = x.job.data * x.job.context, ranks = x.job.tensor * replicas;
  const double per_byte =
      work.rank_parameters * seconds_per_byte(x, x.job.tensor, replicas) +
      work.rank_expert_parameters * seconds_per_byte(x, x.job.expert, std::max(1.0, ranks / x.job.expert));
  // 4 bytes per gradient, 2 per parameter.
  const double gradients = 4 * per_byte, parameters = 2 * per_byte;
  return std::max(0.0, gradients - x.c.gradient_cover_share * stage) +
         std::max(0.0, parameters - x.c.gather_cover_share * stage) +
         x.c.exposed_gradient_share * (gradients + parameters);
}

}  // namespace

double core_step_seconds(const machine::Device& device, const CoreConstants& c, const Architecture& model,
                         const ParallelJob& job, const CoreRun& run) {
  const CoreContext x{device, c, rates_of(c.rates, device.generation), precision_of(c, run.precision),
                      // The bytes of state-space layers go by the release alone, and so do their experts.
                      release_of(c, run.release, device.generation, model.hybrid ? Captured::everything : run.captured),
                      job};
  if (model.hybrid) return hybrid_seconds(x, model);
  const CoreWork work = core_work(device, model, job, c.logit_bytes);
  const double stage = stage_seconds(x, model, work, run);
  const double head =
      work.heads * (work.head_products * x.rates.matrix_slowdown * x.rates.compute_factor / x.precision.matrix_gain +
                    work.head_elementwise * x.rates.elementwise_factor);
  const double micro_batches = job.micro_batches();
  const double chunks = job.pipeline > 1 ? job.interleave : 1;
  const double optimizer =
      elementwise_seconds(device, &machine::ElementwiseShares::optimizer_32bit,
                          c.optimizer_bytes_per_parameter * work.optimizer_parameters / std::max(1.0, job.data));
  // FSDP: three passes over the parameters per micro-batch.
  // Two bytes per parameter; gathered forward and backward, gradients scattered.
  const double sharding = job.sharded ? micro_batches * 3 * 2 * work.model_parameters /
                                            (x.rates.sharded_gb_per_s * 1e9) * c.exposed_sharding_share
                                      : 0;
  // The bubble of interleaved 1F1B: one stage time less per chunk (Narayanan et al. 2021).
  return micro_batches * (stage + head / job.pipeline) + (job.pipeline - 1) / chunks * stage + sharding +
         replica_seconds(x, work, stage) + optimizer + c.host_step_us * 1e-6;
}

}  // namespace orrery::llm

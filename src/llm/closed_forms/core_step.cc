#include "llm/closed_forms/core_step.h"

#include <algorithm>
#include <cmath>

#include "llm/catalog.h"
#include "llm/closed_forms/core_layers.h"
#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
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

/// One micro-batch on one stage.
double stage_seconds(const CoreContext& x, const Architecture& model, const CoreWork& work, bool adapters_only) {
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

/// Gradients (fp32) are reduced under the last backward pass and parameters (bf16) gathered under the first forward
/// pass; what those do not cover is exposed, and a residue of all.
double replica_seconds(const CoreContext& x, const CoreWork& work, double stage) {
  if (x.job.data <= 1 || x.job.sharded) return 0;
  const bool one_domain = x.job.devices <= static_cast<double>(x.device.scale_up_devices);
  const double bandwidth = (one_domain ? x.rates.tensor_gb_per_s : x.rates.port_gb_per_s) * 1e9;
  const double gradients = 4 * work.rank_parameters / bandwidth, parameters = 2 * work.rank_parameters / bandwidth;
  return std::max(0.0, gradients - x.c.gradient_cover_share * stage) +
         std::max(0.0, parameters - x.c.gather_cover_share * stage) +
         x.c.exposed_gradient_share * (gradients + parameters);
}

}  // namespace

CoreRelease release_of(const CoreConstants& c, const SoftwareRelease& release) {
  CoreRelease found{.expert_overhead_factor = 1, .expert_matrix_factor = 1, .hybrid_byte_factor = 1};
  for (const CoreRelease& one : c.releases) {
    if (release.year > one.year || (release.year == one.year && release.month >= one.month)) found = one;
  }
  return found;
}

double grouping_factor(const CoreConstants& c, const CoreRelease& release, double local_experts) {
  return local_experts > 1 ? c.grouped_matrix_factor * release.expert_matrix_factor : 1;
}

const CorePrecision& precision_of(const CoreConstants& c, DataType type) {
  const std::string_view name = machine::kDataTypeNames[static_cast<std::size_t>(type)];
  for (const CorePrecision& one : c.precisions) {
    if (one.name == name) return one;
  }
  return c.precisions.front();
}

double core_step_seconds(const machine::Device& device, const CoreConstants& c, const Architecture& model,
                         const ParallelJob& job, const CoreRun& run) {
  const CoreContext x{
      device, c, rates_of(c.rates, device.generation), precision_of(c, run.precision), release_of(c, run.release), job};
  if (model.hybrid) return hybrid_seconds(x, model);
  const CoreWork work = core_work(device, model, job, c.logit_bytes);
  const double stage = stage_seconds(x, model, work, run.adapters_only);
  const double head =
      work.heads * (work.head_products * x.rates.matrix_slowdown * x.rates.compute_factor / x.precision.matrix_gain +
                    work.head_elementwise * x.rates.elementwise_factor);
  const double micro_batches = job.micro_batches();
  const double chunks = job.pipeline > 1 ? job.interleave : 1;
  const double optimizer =
      elementwise_seconds(device, &machine::ElementwiseShares::optimizer_32bit,
                          c.optimizer_bytes_per_parameter * work.optimizer_parameters / std::max(1.0, job.data));
  // FSDP: three passes over the parameters per micro-batch.
  const double sharding = job.sharded ? micro_batches * 3 * 2 * work.model_parameters /
                                            (x.rates.sharded_gb_per_s * 1e9) * c.exposed_sharding_share
                                      : 0;
  return micro_batches * (stage + head / job.pipeline) + (job.pipeline - 1) / chunks * stage + sharding +
         replica_seconds(x, work, stage) + optimizer;
}

}  // namespace orrery::llm

#include "llm/closed_forms/fsdp_step.h"

#include <algorithm>
#include <cmath>

#include "llm/catalog.h"
#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
namespace {

/// Which link a group of ranks uses: `stride` ranks lie between two of its `members`.
struct PairLinks {
  const PairConstants& c;

  [[nodiscard]] bool inside(double stride, double members) const { return stride * members <= c.pair_devices; }
  [[nodiscard]] double bytes_per_s(double stride, double members) const {
    return (inside(stride, members) ? c.pair_gb_per_s : c.cross_gb_per_s) * 1e9;
  }
  /// Groups that lie side by side and cross the boundary of the pairs share the one link there.
  [[nodiscard]] double sharers(double stride, double members) const {
    return !inside(stride, members) && members <= c.pair_devices ? stride : 1;
  }
};

}  // namespace

double pair_step_seconds(const machine::Device& device, const FsdpConstants& stack, const PairConstants& c,
                         const FsdpModel& model, const ParallelJob& job) {
  const double tp = job.tensor, pp = job.pipeline, dp = job.data, cp = job.context, h = model.hidden;
  const FsdpCompute one = fsdp_compute(device, stack, model, job);
  // Compute of all micro-batches, shared by ideal devices; the head's part is what it has of the parameters.
  const double share = c.compute_factor * job.global_batch / c.devices;
  const double head = share * model.vocabulary * h / one.parameters * one.other;
  const double blocks = share * one.other - head;
  const double attention = share * one.attention;
  const double parameters = one.parameters + model.vocabulary * h;  // the head is not tied

  const double micro_batches = std::floor(job.global_batch / dp);
  const double tokens = std::floor(job.sequence / cp);
  const PairLinks links{c};
  // The last stage carries the head, and all wait for it.
  double compute =
      pp > 1 ? (blocks + attention + head * pp) * (1 + (pp - 1) / micro_batches) : blocks + attention + head;
  if (cp > 1) compute += attention * (1 - 1 / cp);  // causal blocks are not balanced: the last rank has the most
  double messages = 0;
  if (tp > 1)
    messages += 4 * model.layers / pp * micro_batches * 2 * (tp - 1) / tp * kElementBytes * tokens * h /
                links.bytes_per_s(1, tp);
  // Keys and values go around forward; they and their gradients backward.
  if (cp > 1)
    messages += 3 * model.layers / pp * micro_batches * (cp - 1) * 2 * kElementBytes * tokens * h / tp /
                links.bytes_per_s(tp, cp);
  if (pp > 1) messages += 2 * micro_batches * kElementBytes * tokens * h / (c.cross_gb_per_s * 1e9);

  const double replicas = dp * cp;
  const double rank_bytes = kElementBytes * parameters / tp / pp;
  const double ring =
      (replicas - 1) / replicas * rank_bytes / links.bytes_per_s(tp, replicas) * links.sharers(tp, replicas);
  if (job.zero_stage == 3) {
    // ZeRO-3 gathers weights for both passes of every micro-batch, and scatters gradients.
    const double traffic = 3 * micro_batches * ring;
    return compute + messages + traffic - std::min(c.hidden_share * compute, traffic);
  }
  // Gradients are reduced once, by a ring that goes around twice.
  return compute + messages + 2 * ring;
}

namespace {

using Shares = machine::ElementwiseShares;

/// The block as the framework fuses it: gradients of biases are not there, since there are none.
std::vector<Kernel> kernels_of(const BlockShape& block, Recomputation recomputation) {
  std::vector<Kernel> list = forward_kernels(block);
  const auto append = [&](std::vector<Kernel> more) { list.insert(list.end(), more.begin(), more.end()); };
  if (recomputation == Recomputation::full) append(recomputed_kernels(block));
  append(backward_kernels(block));
  std::erase_if(list, [](const Kernel& kernel) { return kernel.rate == &Shares::bias_gradient; });
  return list;
}

}  // namespace

FsdpCompute fsdp_compute(const machine::Device& device, const FsdpConstants& c, const FsdpModel& model,
                         const ParallelJob& job) {
  const BlockShape block{.style = model.style,
                         .batch = job.micro_batch,
                         .sequence = job.sequence,
                         .hidden = model.hidden,
                         .ffn = model.ffn,
                         .heads = model.heads,
                         .kv_width = model.kv_width,
                         .mixed_precision = model.mixed_precision};
  const FsdpRates& rates = rates_of(c.rates, device.generation);
  const KernelSeconds layer = seconds_of(device, kernels_of(block, job.recomputation));
  const double head = seconds_of(device, head_products(block.tokens(), model.hidden, model.vocabulary)).products;
  const double attention_flop =
      machine::attention_flop({block.batch, block.heads, std::floor(block.hidden / block.heads), block.sequence});
  const double forward_passes = job.recomputation == Recomputation::full ? 2 : 1;

  FsdpCompute compute;
  compute.attention =
      model.layers * attention_flop / device.peak_flops(machine::DataType::bf16) *
      (forward_passes / rates.attention_forward_share + machine::kBackwardAttention / rates.attention_backward_share);
  compute.other = device.sustained_slowdown * (model.layers * layer.products + head) +
                  c.elementwise_factor * model.layers * layer.elementwise +
                  c.cross_entropy_factor * elementwise_seconds(device, &Shares::cross_entropy,
                                                               c.logit_bytes * block.tokens() * model.vocabulary) +
                  c.layer_us * 1e-6 * model.layers;
  compute.parameters = model.layers * matrix_parameters(block) + model.vocabulary * model.hidden;
  return compute;
}

double fsdp_step_seconds(const machine::Device& device, const FsdpConstants& c, const FsdpModel& model,
                         const ParallelJob& job) {
  const FsdpCompute compute = fsdp_compute(device, c, model, job);
  const FsdpRates& rates = rates_of(c.rates, device.generation);
  const double bandwidth = (job.devices > c.node_devices ? rates.network_gb_per_s : rates.node_gb_per_s) * 1e9;
  // ZeRO-3 gathers weights for both passes and scatters gradients; ZeRO-2 keeps the weights of the forward pass.
  const double collectives = job.zero_stage == 3 ? 3 : 2;
  const double traffic =
      collectives * (2 * compute.parameters / bandwidth + c.collective_latency_us * 1e-6 * job.devices * model.layers);
  const double micro_batches = std::max(1.0, std::floor(job.global_batch / (job.micro_batch * job.devices)));
  const double optimizer = elementwise_seconds(device, &Shares::optimizer_32bit,
                                               c.optimizer_bytes_per_parameter * compute.parameters / job.devices);
  return micro_batches * (std::max(compute.sum(), traffic) + c.exposed_share * traffic) + optimizer;
}

}  // namespace orrery::llm

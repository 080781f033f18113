// Device time of the parts of a transformer's layer, pass by pass: what kernels take and what a framework's software
// adds. Communication is not in it.
#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "llm/closed_forms/eager_block.h"
#include "llm/kernels/kernel_list.h"
#include "llm/steps/layer_model.h"

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

/// Forward passes take a third of what software spends per layer: backward ones launch twice as many kernels.
constexpr double kForwardShare = 1.0 / 3;
/// p of the p-norm of device and host time: one hides behind the other but for its ragged ends.
constexpr double kHostCorner = 4;

/// Width of the widest experts whose grouped products were measured (gpt-oss).
constexpr double kWidestGrouped = 2880;

/// What an all-to-all brings is ordered by sender, and sorted by expert once more: tokens and their answers, forward
/// and backward, read and written.
constexpr double kSortPasses = 8;

/// Seconds of the three products of one matrix.
PassTimes products(const machine::Device& device, double rows, const Projection& p, double batch,
                   const machine::GemmRun& run, double factor) {
  const double m = whole_extent(rows), n = whole_extent(p.out), k = whole_extent(p.in), b = whole_extent(batch);
  return {.forward = factor * machine::gemm_seconds(device, {.m = m, .n = n, .k = k, .batch = b}, run),
          .input_gradient = factor * machine::gemm_seconds(device, {.m = m, .n = k, .k = n, .batch = b}, run),
          .weight_gradient = factor * machine::gemm_seconds(device, {.m = n, .n = k, .k = m, .batch = b}, run)};
}

PassTimes spread(double seconds) {
  return {.forward = kForwardShare * seconds, .input_gradient = (1 - kForwardShare) * seconds};
}

/// Element-wise kernels of a block, forward and backward, of the half with attention and of the MLP.
struct Halves {
  PassTimes attention, mlp;
};
Halves elementwise_halves(const machine::Device& device, const BlockShape& block, double factor,
                          bool with_biases = true) {
  Halves halves;
  const auto add = [&](const std::vector<Kernel>& kernels, double PassTimes::*pass) {
    for (const Kernel& kernel : kernels) {
      if (kernel.kind != Kernel::Kind::elementwise || (!with_biases && kernel.rate == &Shares::bias_gradient)) continue;
      const double seconds = factor * elementwise_seconds(device, kernel.rate, kernel.bytes);
      const bool rotary = kernel.rate == &Shares::rotary_forward || kernel.rate == &Shares::rotary_backward;
      const bool activation = kernel.rate == &Shares::activation_forward || kernel.rate == &Shares::activation_backward;
      // Norms, sums and biases are in both halves alike.
      // The rotary embedding is attention's, the activation the MLP's.
      const double of_attention = rotary ? 1 : activation ? 0 : 0.5;
      halves.attention.*pass += of_attention * seconds;
      halves.mlp.*pass += (1 - of_attention) * seconds;
    }
  };
  add(forward_kernels(block), &PassTimes::forward);
  add(backward_kernels(block), &PassTimes::input_gradient);
  return halves;
}

BlockShape block_of(const StepPlan& plan, double ffn) {
  const Architecture& m = plan.model;
  return {.style = m.plain_mlp ? BlockStyle::gpt : BlockStyle::llama,
          .batch = 1,
          .sequence = plan.tokens(),
          .hidden = m.hidden,
          .ffn = ffn,
          .heads = m.heads,
          .kv_width = m.kv_width()};
}

/// Megatron-Core's layers: the constants are those of llm/closed_forms/core_step.
class CoreTimes {
 public:
  CoreTimes(const CoreConstants& constants, const machine::Device& device, const StepPlan& plan)
      : c_(constants),
        device_(device),
        plan_(plan),
        rates_(rates_of(constants.rates, device.generation)),
        precision_(precision_of(constants, plan.precision)),
        release_(release_of(constants, plan.release, device.generation, plan.captured)) {
    const bool listed =
        std::find(rates_.generations.begin(), rates_.generations.end(), device.generation) != rates_.generations.end();
    // Of a generation that no steps were measured on, the clock that it keeps up is the device's own figure.
    slowdown_ = (listed ? rates_.matrix_slowdown : device.sustained_slowdown) * rates_.compute_factor;
  }

  [[nodiscard]] StepTimes times() const {
    StepTimes all;
    const Architecture& m = plan_.model;
    const double tp = plan_.job.tensor, tokens = plan_.tokens();
    const Halves plain = elementwise_halves(device_, block_of(plan_, m.ffn), rates_.elementwise_factor / tp);
    attention(all.layer, plain.attention);
    all.layer.mlp = linear({{(m.plain_mlp ? 1 : 2) * m.ffn / tp, m.hidden}, {m.hidden, m.ffn / tp}});
    all.layer.mlp += plain.mlp;
    recompute(all.layer.mlp, plain.mlp.forward);
    if (m.experts) experts(all.layer, *m.experts);
    else wait_for_host(all.layer);
    const double head_seconds =
        rates_.elementwise_factor *
        // Of the logits: what the loss reads and writes of each.
        elementwise_seconds(device_, &Shares::cross_entropy, c_.logit_bytes * tokens * m.vocabulary / tp);
    all.head = linear({{m.vocabulary / tp, m.hidden}});
    all.head += spread(head_seconds);
    const double lookup = elementwise_seconds(device_, &Shares::add, 4 * kElementBytes * tokens * m.hidden / tp);
    all.embedding = {.forward = lookup, .input_gradient = 0, .weight_gradient = lookup};
    all.optimizer_per_parameter =
        elementwise_seconds(device_, &Shares::optimizer_32bit, c_.optimizer_bytes_per_parameter);
    all.micro_batch = micro_batch();
    all.step = c_.host_step_us * 1e-6;
    return all;
  }

 private:
  /// What hosts spend on a micro-batch of a stage: most of it on messages, whose shapes are agreed upon first.
  [[nodiscard]] double micro_batch() const {
    double us = c_.host_micro_batch_us;
    if (plan_.stages() > 1) us += c_.host_message_us;
    const bool leaves_node = plan_.domain_devices > 0 && plan_.ranks() > plan_.domain_devices;
    if (plan_.stages() > 1 && leaves_node) us += c_.host_far_message_us * plan_.job.tensor;
    return us * 1e-6;
  }

  /// A host that launches more slowly than the device computes stretches the whole layer.
  void wait_for_host(LayerTimes& layer) const {
    if (c_.host_layer_us <= 0) return;
    double device = 0;
    for (const PassTimes* part : {&layer.queries, &layer.core, &layer.output, &layer.mlp})
      device += part->forward + part->backward();
    const double waits = (soft_max(device, c_.host_layer_us * 1e-6, kHostCorner) - device) / 2;
    for (PassTimes* half : {&layer.queries, &layer.mlp}) *half += spread(waits);
  }

  [[nodiscard]] PassTimes linear(const std::vector<Projection>& projections) const {
    PassTimes sum;
    for (const Projection& one : projections)
      sum += products(device_, plan_.tokens(), one, 1, machine::in_stream(device_),
                      slowdown_ * release_.matrix_factor / precision_.matrix_gain);
    if (plan_.adapters_only) sum.weight_gradient = 0;
    return sum;
  }

  void recompute(PassTimes& times, double elementwise) const {
    // Flash attention keeps no scores, so that selective recomputation is left with norms and activations.
    if (plan_.job.recomputation == Recomputation::full) times.recomputed = times.forward;
    if (plan_.job.recomputation == Recomputation::selective) times.recomputed = elementwise;
  }

  void attention(LayerTimes& layer, const PassTimes& elementwise) const {
    const Architecture& m = plan_.model;
    const double tp = plan_.job.tensor;
    std::vector<Projection> projections = attention_projections(m, tp);
    layer.output = linear({projections.back()});  // the last one leads back
    projections.pop_back();
    layer.queries = linear(projections);
    // At the speed of 16 bits: attention's products are not done in fewer.
    layer.core.forward = attention_flop_of_layer(m, plan_.tokens(), plan_.job.sequence, tp) /
                         device_.peak_flops(machine::DataType::bf16) / rates_.attention_share * rates_.compute_factor;
    layer.core.input_gradient = machine::kBackwardAttention * layer.core.forward;
    layer.queries += elementwise;
    layer.queries += spread(c_.layer_us * 1e-6);
    double again = elementwise.forward;
    // The up-projections of latent attention, whose inputs are much smaller than what they make; the first of the three
    // leads down.
    if (m.latent_attention) again += linear({projections.begin() + 1, projections.end()}).forward;
    recompute(layer.queries, again);
    recompute(layer.core, 0);
    recompute(layer.output, 0);
  }

  void experts(LayerTimes& layer, const Experts& e) const {
    const ParallelJob& job = plan_.job;
    const double h = plan_.model.hidden, tp = job.tensor, memory = device_.memory_bytes_per_s();
    const double rank_tokens = plan_.tokens() / tp, local = std::max(1.0, std::floor(e.count / job.expert));
    // Tokens are taken to be spread evenly over experts.
    const double rows = rank_tokens * e.chosen * job.expert / e.count;
    // What is done to a row besides multiplying it weighs less the wider the expert: the factor is that of narrow ones.
    const double grouped = (grouping_factor(c_, release_, local) - 1) * std::min(1.0, kWidestGrouped / e.ffn);
    const double factor = slowdown_ / precision_.expert_matrix_gain * (1 + grouped);
    const double overhead = release_.expert_overhead_factor;
    const bool sorts = plan_.dispatch == Dispatch::all_to_all && local > 1;
    const double permute_passes = c_.permute_passes + (sorts ? kSortPasses : 0);
    const machine::GemmRun run = machine::in_stream(device_);
    layer.experts = products(device_, rows, {2 * e.ffn, h}, local, run, factor);
    layer.experts += products(device_, rows, {h, e.ffn}, local, run, factor);
    if (plan_.adapters_only) layer.experts.weight_gradient = 0;
    layer.experts += spread(overhead * (c_.expert_us * 1e-6 * local + c_.activation_passes * rank_tokens * e.chosen *
                                                                          e.ffn * kElementBytes / memory));
    layer.router = spread(overhead * c_.expert_layer_us * 1e-6);
    const bool fused = plan_.dispatch == Dispatch::fused && job.expert > 1;
    PassTimes& sorting = fused ? layer.sorting : layer.router;
    sorting += spread(overhead * permute_passes * rank_tokens * e.chosen * h * kElementBytes / memory);
    const Halves block = elementwise_halves(device_, block_of(plan_, e.chosen * e.ffn), rates_.elementwise_factor / tp);
    layer.router += block.mlp;
    if (e.shared_ffn > 0) layer.shared_expert = linear({{2 * e.shared_ffn / tp, h}, {h, e.shared_ffn / tp}});
    layer.host = spread(launch_seconds(c_, release_, local, {plan_.captured, plan_.overlap.experts}));
    recompute(layer.experts, 0);
    recompute(layer.router, 0);
    recompute(layer.sorting, 0);
    recompute(layer.shared_expert, 0);
    recompute(layer.host, 0);
  }

  const CoreConstants& c_;
  const machine::Device& device_;
  const StepPlan& plan_;
  const CoreRates& rates_;
  const CorePrecision& precision_;
  const CoreRelease release_;
  double slowdown_ = 1;
};

/// PyTorch's FSDP with fused kernels, as LLM Foundry runs it: the constants are those of llm/closed_forms/fsdp_step, of
/// which the schedule needs none about traffic.
class FsdpTimes {
 public:
  FsdpTimes(const FsdpConstants& constants, const machine::Device& device, const StepPlan& plan)
      : c_(constants), device_(device), plan_(plan), rates_(rates_of(constants.rates, device.generation)) {}

  [[nodiscard]] StepTimes times() const {
    const Architecture& m = plan_.model;
    const double tokens = plan_.tokens();
    BlockShape block = block_of(plan_, m.ffn);
    block.mixed_precision = true;  // weights of 32 bits are what FSDP divides
    const Halves plain = elementwise_halves(device_, block, c_.elementwise_factor, false);
    StepTimes all;
    LayerTimes& layer = all.layer;
    layer.queries = linear({(m.heads + 2 * m.kv_heads) * m.head_size, m.hidden});
    layer.queries += plain.attention;
    layer.queries += spread(c_.layer_us * 1e-6);
    const double attention =
        attention_flop_of_layer(m, tokens, plan_.job.sequence, 1) / device_.peak_flops(machine::DataType::bf16);
    layer.core = {.forward = attention / rates_.attention_forward_share,
                  .input_gradient = machine::kBackwardAttention * attention / rates_.attention_backward_share};
    layer.output = linear({m.hidden, m.heads * m.head_size});
    const PassTimes down = linear({m.hidden, m.ffn});
    layer.mlp = linear({(m.plain_mlp ? 1 : 2) * m.ffn, m.hidden});
    layer.mlp += down;
    layer.mlp += plain.mlp;
    if (plan_.job.recomputation == Recomputation::full) {
      for (PassTimes* part : {&layer.queries, &layer.core, &layer.output, &layer.mlp}) part->recomputed = part->forward;
      layer.mlp.recomputed -= down.forward;  // checkpointing stops before the last product, whose output is not needed
    }
    all.head = linear({m.vocabulary, m.hidden});
    all.head += spread(c_.cross_entropy_factor *
                       elementwise_seconds(device_, &Shares::cross_entropy, c_.logit_bytes * tokens * m.vocabulary));
    all.optimizer_per_parameter =
        elementwise_seconds(device_, &Shares::optimizer_32bit, c_.optimizer_bytes_per_parameter);
    return all;
  }

 private:
  [[nodiscard]] PassTimes linear(const Projection& one) const {
    return products(device_, plan_.tokens(), one, 1, machine::in_stream(device_), device_.sustained_slowdown);
  }

  const FsdpConstants& c_;
  const machine::Device& device_;
  const StepPlan& plan_;
  const FsdpRates& rates_;
};

/// Megatron as of 2021: layers without flash attention, launched by a host that can be the slower one. Constants of
/// llm/closed_forms/megatron_step.
class EarlyTimes {
 public:
  EarlyTimes(const MegatronConstants& constants, const machine::Device& device, const StepPlan& plan)
      : c_(constants), device_(device), plan_(plan), flavour_(flavour_of(constants, plan.software)) {
    streaming_ = c_.streaming_share * device.memory_bytes_per_s();
  }

  [[nodiscard]] StepTimes times() const {
    const Architecture& m = plan_.model;
    const ParallelJob& job = plan_.job;
    const double tp = job.tensor, sp = job.sequence_parallel ? tp : 1, tokens = plan_.tokens();
    const double pass = kElementBytes * tokens * m.hidden / streaming_;
    StepTimes all;
    LayerTimes& layer = all.layer;
    layer.queries = linear({{(m.heads + 2 * m.kv_heads) * m.head_size / tp, m.hidden}});
    layer.output = linear({{m.hidden, m.heads * m.head_size / tp}});
    const double products = scores();
    // Bytes per score: what softmax, mask and dropout read and write, forward and backward.
    layer.core = {.forward = products + 9 * c_.forward_softmax_factor * score_byte(),
                  .input_gradient = 2 * products + 11 * c_.backward_softmax_factor * score_byte()};
    layer.mlp = linear({{(m.plain_mlp ? 1 : 2) * m.ffn / tp, m.hidden}, {m.hidden, m.ffn / tp}});
    // 11 and 21 passes over the hidden state are shared only by sequence parallelism, 14 and 27 by tensor parallelism:
    // half of each per half.
    const PassTimes elementwise = {.forward = pass * (11 / sp + 14 / tp) * c_.forward_elementwise_factor / 2,
                                   .input_gradient = pass * (21 / sp + 27 / tp) * c_.backward_elementwise_factor / 2};
    const double floor = c_.layer_floor_us * 1e-6 * kernel_factor() / 2;
    for (PassTimes* half : {&layer.queries, &layer.mlp}) {
      *half += elementwise;
      *half += spread(floor);
    }
    const bool full = job.recomputation == Recomputation::full;
    double device_layer = 0;
    for (const PassTimes* part : {&layer.queries, &layer.core, &layer.output, &layer.mlp})
      device_layer += part->forward * (full ? 2 : 1) + part->backward();
    // A host that launches more slowly than the device runs stretches the whole layer.
    const double host = c_.host_layer_us * 1e-6 * kernel_factor() +
                        c_.host_tensor_us * 1e-6 * std::pow(std::log2(tp), c_.host_tensor_exponent);
    const double waits = (soft_max(device_layer, host, c_.host_corner) - device_layer) / 2;
    for (PassTimes* half : {&layer.queries, &layer.mlp}) *half += spread(waits);
    for (PassTimes* part : {&layer.queries, &layer.core, &layer.output, &layer.mlp})
      part->recomputed = full ? part->forward : 0;
    if (job.recomputation == Recomputation::selective) layer.core.recomputed = layer.core.forward;
    all.head = linear({{m.vocabulary / tp, m.hidden}});
    all.head +=
        spread(c_.head_bytes_per_logit * c_.forward_elementwise_factor * tokens * m.vocabulary / tp / streaming_);
    all.embedding = {.forward = 2 * pass / tp, .input_gradient = 0, .weight_gradient = 2 * pass / tp};
    (job.pipeline > 1 ? all.chunk : all.micro_batch) =
        (job.pipeline > 1 ? flavour_.pipeline_chunk_us : c_.micro_batch_us) * 1e-6;
    all.optimizer_per_parameter = flavour_.optimizer_bytes_per_parameter / streaming_;
    return all;
  }

 private:
  static const MegatronFlavour& flavour_of(const MegatronConstants& constants, Software software) {
    const MegatronFlavour* found = find_flavour(constants, kSoftwareNames[static_cast<std::size_t>(software)]);
    return found == nullptr ? constants.flavours.front() : *found;
  }
  [[nodiscard]] double kernel_factor() const {
    return plan_.job.recomputation == Recomputation::full ? 1 : c_.without_recomputation_factor;
  }
  [[nodiscard]] PassTimes linear(const std::vector<Projection>& projections) const {
    PassTimes sum;
    for (const Projection& one : projections)
      sum += products(device_, plan_.tokens(), one, 1, {}, device_.sustained_slowdown);
    return sum;
  }
  /// Both products of attention over whole rows of scores.
  [[nodiscard]] double scores() const {
    const double s = plan_.job.sequence, size = plan_.model.head_size,
                 batch = plan_.job.micro_batch * plan_.model.heads / plan_.job.tensor;
    const double rows = s / plan_.job.context;
    return device_.sustained_slowdown *
           (machine::gemm_seconds(device_, {.m = rows, .n = s, .k = size, .batch = whole_extent(batch)}, {}) +
            machine::gemm_seconds(device_, {.m = rows, .n = size, .k = s, .batch = whole_extent(batch)}, {}));
  }
  [[nodiscard]] double score_byte() const {
    return plan_.tokens() * plan_.model.heads * plan_.job.sequence / plan_.job.tensor / streaming_;
  }

  const MegatronConstants& c_;
  const machine::Device& device_;
  const StepPlan& plan_;
  const MegatronFlavour& flavour_;
  double streaming_ = 0;
};

}  // namespace

const CoreConstants& core_constants(const Catalog& catalog, Software software) {
  if (software == Software::nemo) return catalog.nemo;
  return software == Software::nanotron ? catalog.nanotron : catalog.core;
}

StepTimes transformer_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan) {
  if (plan.software == Software::pytorch_fsdp) return FsdpTimes(catalog.fsdp, device, plan).times();
  if (is_early(plan.software)) return EarlyTimes(catalog.megatron, device, plan).times();
  return CoreTimes(core_constants(catalog, plan.software), device, plan).times();
}

}  // namespace orrery::llm

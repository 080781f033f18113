#include "llm/closed_forms/megatron_step.h"

#include <algorithm>
#include <cmath>

#include "llm/kernels/kernel_list.h"

// Time of a layer (products, scores, element-wise passes, all-reduces), of a stage against what its host can launch,
// times the micro-batches, plus the bubble, reductions and the optimizer. The counts of passes and bytes come from the
// kernels of that software; the factors beside them are fitted.

namespace orrery::llm {
namespace {

/// What one configuration needs of the device, before the framework's constants: seconds of products, bytes at
/// streaming speed.
struct LayerWork {
  double forward_products = 0, backward_products = 0;  ///< of the linears
  double forward_core = 0, backward_core = 0;          ///< of the scores and their use
  double hidden_pass = 0;                              ///< one pass over the hidden state
  double score_byte = 0;                               ///< one byte of every score
};

class MegatronStep {
 public:
  MegatronStep(const machine::Device& device, const MegatronConstants& constants, const MegatronFlavour& flavour,
               const Cluster& cluster, const MegatronModel& model, const ParallelJob& job)
      : device_(device), c_(constants), flavour_(flavour), cluster_(cluster), model_(model), job_(job) {
    tokens_ = job.micro_batch * job.sequence;
    streaming_ = c_.streaming_share * device.memory_bytes_per_s();
    activation_bytes_ = kElementBytes * tokens_ * model.hidden;
    rank_parameters_ =
        model.layers / job.pipeline * matrix_parameters() / job.tensor + model.vocabulary * model.hidden / job.tensor;
  }

  [[nodiscard]] double seconds() const {
    const double layer = layer_seconds();
    const double head = head_seconds();
    if (job_.zero_stage == 3) return zero3_seconds(layer, head);
    const double stage_layers = model_.layers / job_.pipeline;
    const double host = stage_layers * host_seconds() + c_.host_micro_batch_us * 1e-6;
    const double last = soft_max(stage_layers * layer + head, host, c_.host_corner);  // the head is on the last stage
    const double other = soft_max(stage_layers * layer, host, c_.host_corner);
    const bool pipelined = job_.pipeline > 1;
    const double chunks = pipelined ? job_.interleave : 1;
    const double message = message_seconds();
    const double software = (pipelined ? chunks * flavour_.pipeline_chunk_us : c_.micro_batch_us) * 1e-6;
    const double accumulate =
        model_.fp32_gradients ? c_.accumulation_bytes_per_parameter * rank_parameters_ / streaming_ : 0;
    const double steady = std::floor(job_.global_batch / (job_.micro_batch * job_.data)) *
                          (last + 2 * chunks * message * c_.exposed_message_share + software + accumulate);
    const double bubble = (job_.pipeline - 1) / chunks * (other + 2 * message);
    // Embedding and head share their weights, which sit at both ends of the pipeline.
    const double tied =
        pipelined ? kElementBytes * model_.vocabulary * model_.hidden / job_.tensor / (c_.message_gb_per_s * 1e9) : 0;
    return steady + bubble + reduction_seconds() + tied +
           rank_parameters_ * flavour_.optimizer_bytes_per_parameter / streaming_;
  }

 private:
  [[nodiscard]] double matrix_parameters() const {
    // Four projections of attention, and the two matrices of the MLP.
    return 4 * model_.hidden * model_.hidden + 2 * model_.hidden * model_.ffn;
  }

  /// Whole tiles only: extents are cut as integers are. Floors of kernels are in layer_floor_us.
  [[nodiscard]] double product_seconds(double m, double n, double k, double batch = 1) const {
    return device_.sustained_slowdown *
           machine::gemm_seconds(
               device_, {.m = std::floor(m), .n = std::floor(n), .k = std::floor(k), .batch = std::floor(batch)}, {});
  }

  [[nodiscard]] LayerWork work() const {
    const double h = model_.hidden, f = model_.ffn, s = job_.sequence, tp = job_.tensor;
    const double head_size = std::floor(h / model_.heads), batch = job_.micro_batch * model_.heads / tp;
    LayerWork work;
    const double linears[][2] = {{3 * h / tp, h}, {h, h / tp}, {f / tp, h}, {h, f / tp}};  // out, in
    for (const auto& [out, in] : linears) {
      work.forward_products += product_seconds(tokens_, out, in);
      work.backward_products += product_seconds(tokens_, in, out) + product_seconds(out, in, tokens_);
    }
    work.forward_core = product_seconds(s, s, head_size, batch) + product_seconds(s, head_size, s, batch);
    // Each of the two products has two gradients.
    work.backward_core = 2 * work.forward_core;
    work.hidden_pass = activation_bytes_ / streaming_;
    work.score_byte = job_.micro_batch * model_.heads * s * s / tp / streaming_;
    return work;
  }

  [[nodiscard]] double layer_seconds() const {
    const LayerWork w = work();
    const double tp = job_.tensor, sp = job_.sequence_parallel ? tp : 1;
    const double reduce = all_reduce_seconds();
    // Softmax and dropout pass 9 bytes per score forward and 11 backward; 11 and 21 passes over the hidden state are
    // shared only by sequence parallelism (norms, dropouts, residuals), 14 and 27 by tensor parallelism.
    const double core = w.forward_core + 9 * c_.forward_softmax_factor * w.score_byte;
    const double forward =
        w.forward_products + core + w.hidden_pass * (11 / sp + 14 / tp) * c_.forward_elementwise_factor + 2 * reduce;
    const double backward = w.backward_products + w.backward_core + 11 * c_.backward_softmax_factor * w.score_byte +
                            w.hidden_pass * (21 / sp + 27 / tp) * c_.backward_elementwise_factor + 2 * reduce;
    double again = 0;
    if (job_.recomputation == Recomputation::full) again = forward;
    if (job_.recomputation == Recomputation::selective) again = core;
    return forward + backward + again + c_.layer_floor_us * 1e-6 * kernel_factor();
  }

  /// Full recomputation launches the forward kernels twice; the constants are those of that case.
  [[nodiscard]] double kernel_factor() const {
    return job_.recomputation == Recomputation::full ? 1 : c_.without_recomputation_factor;
  }

  [[nodiscard]] double host_seconds() const {
    return c_.host_layer_us * 1e-6 * kernel_factor() +
           c_.host_tensor_us * 1e-6 * std::pow(std::log2(job_.tensor), c_.host_tensor_exponent);
  }

  [[nodiscard]] double head_seconds() const {
    const double part = model_.vocabulary / job_.tensor;
    return product_seconds(tokens_, part, model_.hidden) + product_seconds(tokens_, model_.hidden, part) +
           product_seconds(part, model_.hidden, tokens_) +
           c_.head_bytes_per_logit * c_.forward_elementwise_factor * tokens_ * model_.vocabulary / job_.tensor /
               streaming_;
  }

  [[nodiscard]] double all_reduce_seconds() const {
    const double n = job_.tensor, local = cluster_.node_devices;
    if (n <= 1) return 0;
    // The first bytes go at half speed: they count twice.
    const double bytes = activation_bytes_ + std::min(activation_bytes_, c_.all_reduce_ramp_mb * 1e6);
    // A ring sends 2 (n - 1) / n of the data.
    const double inside = c_.all_reduce_latency_us * 1e-6 + 2 * (n - 1) / n * bytes / (c_.all_reduce_gb_per_s * 1e9);
    // A group that leaves the node sends what other nodes have over the network besides.
    if (n <= local) return inside;
    return inside +
           2 * (1 - local / n) * activation_bytes_ / (cluster_.node_gb_per_s * 1e9 * c_.cross_node_tensor_share);
  }

  [[nodiscard]] double message_seconds() const {
    if (job_.pipeline <= 1) return 0;
    return c_.message_latency_us * 1e-6 +
           activation_bytes_ / (flavour_.splits_messages ? job_.tensor : 1) / (c_.message_gb_per_s * 1e9);
  }

  /// Of gradients; nothing hides it in these versions.
  [[nodiscard]] double reduction_seconds() const {
    const double n = job_.data;
    if (n <= 1) return 0;
    const double bytes = 2 * (n - 1) / n * (model_.fp32_gradients ? 4 : 2) * rank_parameters_;
    const double node = cluster_.node_devices;
    const double local = std::min(n, std::max(1.0, std::floor(node / job_.tensor)));  // replicas that share a node
    const bool one_node = job_.tensor * job_.pipeline * n <= node;
    // Replicas of a node reduce among themselves; others share the ports of their node.
    if (one_node || local >= n) return bytes / (c_.all_reduce_gb_per_s * 1e9);
    return bytes * node / local / (cluster_.node_gb_per_s * 1e9 * c_.data_parallel_share);
  }

  /// Weights are gathered for every pass of every micro-batch, and nothing overlaps it.
  [[nodiscard]] double zero3_seconds(double layer, double head) const {
    const double m = std::floor(job_.global_batch / (job_.micro_batch * job_.data));
    const double devices = job_.tensor * job_.pipeline * job_.data;
    const double parameters = model_.layers * matrix_parameters() + model_.vocabulary * model_.hidden;
    // Six bytes per parameter: 16 bits are gathered for both passes, and gradients are scattered.
    const double gather =
        6 * parameters / (c_.zero3_node_gb_per_s * 1e9) + c_.zero3_layer_us * 1e-6 * model_.layers * std::log2(devices);
    return m * (model_.layers / job_.pipeline * layer + head) + m * gather +
           parameters / devices * c_.zero3_optimizer_bytes_per_parameter / streaming_;
  }

  const machine::Device& device_;
  const MegatronConstants& c_;
  const MegatronFlavour& flavour_;
  const Cluster& cluster_;
  const MegatronModel& model_;
  const ParallelJob& job_;
  double tokens_ = 0, streaming_ = 0, activation_bytes_ = 0, rank_parameters_ = 0;
};

}  // namespace

double megatron_step_seconds(const machine::Device& device, const MegatronConstants& constants,
                             const MegatronFlavour& flavour, const Cluster& cluster, const MegatronModel& model,
                             const ParallelJob& job) {
  return MegatronStep(device, constants, flavour, cluster, model, job).seconds();
}

}  // namespace orrery::llm

// What software adds to the kernels of a step, framework by framework: constants that were fitted on published steps
// and on our own. data/frameworks has one file each, which names the rows that they were fitted on.
//
// XRates: what depends on the generation of the device; the last entry stands for those that are not listed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/measurements.h"
#include "machine/device/peak_rates.h"

namespace orrery::llm {

/// When software came out: what it spends on the same step changes over time.
struct SoftwareRelease {
  double year = 0, month = 0;  ///< 26, 6; 0: before all that differ
  double patch = 0;            ///< the 1 of 26.06.01
};
/// Later than all that are known.
inline constexpr SoftwareRelease kLatestRelease = {.year = 1e6, .month = 12};

/// Of "26.06" or "26.06.01" or a text that begins so ("26.06.01 pretraining"); none: it does not.
std::optional<SoftwareRelease> parse_release(std::string_view text);

/// Not earlier.
constexpr bool is_since(const SoftwareRelease& release, const SoftwareRelease& first) {
  if (release.year != first.year) return release.year > first.year;
  if (release.month != first.month) return release.month > first.month;
  return release.patch >= first.patch;
}

/// Counts that depend on how a block is written.
struct EagerStyle {
  std::string name;  ///< "gpt": fused qkv, LayerNorm, GELU, biases; "llama": separate projections, RMSNorm, rotary
                     ///< positions, SwiGLU
  double forward_kernels_per_layer = 0;
  double forward_kernels = 0;  ///< besides those of the layers
  double backward_kernels_per_layer = 0;
  double decode_kernels_per_layer = 0;
  double decode_kernels = 0;
  double decode_small_kernels = 0;  ///< element-wise kernels of a layer, in units of decode_small_kernel_us
  double backward_ffn_copies = 0;   ///< of the MLP's activations at the peak of the first block's backward pass
};

/// What eager PyTorch on one device adds to the kernels of a step: launches, gaps, what a decode graph holds, and how
/// much memory is taken besides what the model needs. pytorch_eager.yaml.
struct EagerConstants {
  double gap_us = 0;               ///< between two kernels
  double inference_launch_us = 0;  ///< of the host, per kernel
  double training_launch_us = 0;
  double host_corner = 0;              ///< p of the p-norm of device and host time
  double mixed_precision_kernels = 0;  ///< factor on the kernels of a training step
  double step_kernels = 0;             ///< besides those of the layers
  double decode_small_kernel_us = 0;
  double decode_ns_per_width = 0;  ///< of the two norms
  double decode_gap_us = 0;        ///< between two kernels of a graph
  double decode_attention_us = 0;
  double decode_attention_short_factor = 0;  ///< for contexts below short_context: less of the device is busy
  double short_context = 0;
  double cache_read_share = 0;  ///< of the memory bandwidth
  double training_overhead_mb = 0;
  double loss_residual_copies = 0;  ///< of the residual stream at the loss
  double workspace_low_mib = 0;     ///< left over by earlier captures: expected for small models
  double workspace_high_mib = 0;    ///< and for large ones
  double workspace_half_gib = 0;    ///< model size half-way between
  std::vector<EagerStyle> styles = {};
};

/// What Megatron-DeepSpeed and the releases of Megatron-LM do differently.
struct MegatronFlavour {
  std::string name;
  double optimizer_bytes_per_parameter = 0;
  /// Per micro-batch and model chunk, with a pipeline: sending between stages ends with the device idle.
  double pipeline_chunk_us = 0;
  bool splits_messages = false;  ///< each tensor-parallel rank sends its share of the activations
};

/// Megatron as of 2021 and 2022, before flash attention, jointly fitted for its flavours. megatron_2021.yaml.
struct MegatronConstants {
  double forward_elementwise_factor = 0;  ///< on the bytes of element-wise kernels
  double backward_elementwise_factor = 0;
  double forward_softmax_factor = 0;  ///< on the passes of softmax and dropout
  double backward_softmax_factor = 0;
  double layer_floor_us = 0;                ///< of kernels, per layer and micro-batch
  double without_recomputation_factor = 0;  ///< on floors and host time
  double all_reduce_latency_us = 0;
  double all_reduce_ramp_mb = 0;       ///< the first bytes go at half speed
  double all_reduce_gb_per_s = 0;      ///< inside a node
  double cross_node_tensor_share = 0;  ///< of the node's network, for tensor parallelism across nodes
  double host_layer_us = 0;            ///< per layer and micro-batch
  double host_tensor_us = 0;           ///< x log2(tensor parallelism)^host_tensor_exponent
  double host_tensor_exponent = 0;
  double host_micro_batch_us = 0;
  double host_corner = 0;         ///< p of the p-norm of device and host time
  double micro_batch_us = 0;      ///< per micro-batch, without a pipeline
  double message_latency_us = 0;  ///< between stages
  double message_gb_per_s = 0;    ///< between stages; also the all-reduce of tied embeddings
  double exposed_message_share = 0;
  double data_parallel_share = 0;  ///< of the node's network, for the reduction of gradients
  double streaming_share = 0;      ///< of the memory bandwidth
  double head_bytes_per_logit = 0;
  double accumulation_bytes_per_parameter = 0;  ///< bf16: gradients are summed in fp32
  double zero3_node_gb_per_s = 0;
  double zero3_layer_us = 0;  ///< x log2(devices)
  double zero3_optimizer_bytes_per_parameter = 0;
  std::vector<MegatronFlavour> flavours = {};
};

struct FsdpRates {
  std::vector<std::string> generations = {};
  double attention_forward_share = 0;  ///< of the bf16 peak
  double attention_backward_share = 0;
  double node_gb_per_s = 0;     ///< one node
  double network_gb_per_s = 0;  ///< per node, across nodes
};

/// Fully sharded data parallelism with fused element-wise kernels, as LLM Foundry runs it. llm_foundry.yaml.
struct FsdpConstants {
  double elementwise_factor = 0;  ///< against eager kernels
  double cross_entropy_factor = 0;
  double layer_us = 0;               ///< per layer and micro-batch
  double exposed_share = 0;          ///< of communication, besides what compute does not cover
  double collective_latency_us = 0;  ///< per rank and layer
  double node_devices = 0;
  double optimizer_bytes_per_parameter = 0;
  double logit_bytes = 0;
  std::vector<FsdpRates> rates = {};
};

/// A few devices in NVLink pairs that share one link across. paired_devices.yaml.
struct PairConstants {
  double compute_factor = 0;  ///< against the stack of llm_foundry
  double pair_gb_per_s = 0;   ///< of a ring inside a pair
  double cross_gb_per_s = 0;  ///< across pairs, shared
  double hidden_share = 0;    ///< of compute that hides the traffic of ZeRO-3
  double pair_devices = 0;
  double devices = 0;
};

struct CoreRates {
  std::vector<std::string> generations = {};
  double matrix_slowdown = 0;      ///< sustained clock
  double compute_factor = 0;       ///< on the time of products and attention
  double elementwise_factor = 0;   ///< against eager kernels
  double attention_share = 0;      ///< of the bf16 peak
  double tensor_gb_per_s = 0;      ///< scale-up network
  double port_gb_per_s = 0;        ///< scale-out network, per device
  double sharded_gb_per_s = 0;     ///< FSDP, per device
  double hybrid_matrix_share = 0;  ///< of the bf16 peak
};

/// What of a step is launched as captured CUDA graphs, and costs the host nothing.
enum class Captured : std::uint8_t {
  nothing,
  router,                ///< with what prepares the exchange of tokens
  attention_and_router,  ///< all but the experts
  everything
};
/// As configurations say it.
inline constexpr std::array<std::string_view, 4> kCapturedNames = {"false", "router", "attention_and_router", "true"};

/// What a publisher's recipe has that tables of its results do not tell, from a release on until the next entry for the
/// same.
struct CoreRecipe {
  std::vector<std::string> models = {};
  std::vector<std::string> devices = {};
  std::vector<std::string> precisions = {};  ///< none: all
  double year = 0, month = 0, patch = 0;
  Captured captured = Captured::nothing;
  bool pairs = false;  ///< passes of two micro-batches run in turn: Overlap::experts
  bool fused = false;  ///< tokens are sorted by expert as they travel: Dispatch::fused
};

/// How layers run from a release of the software on.
struct CoreRelease {
  double year = 0;
  double month = 0;
  std::vector<std::string> generations = {};  ///< of devices; none: all
  double matrix_factor = 1;                   ///< on the time of dense products
  double expert_overhead_factor = 0;          ///< where everything is captured, as is the next
  double expert_matrix_factor = 0;
  double hybrid_byte_factor = 0;
};

/// What a number format gains on bf16.
struct CorePrecision {
  std::string name;
  double matrix_gain = 0;
  double expert_matrix_gain = 0;
  double hybrid_gain = 0;
  double token_bytes = 0;  ///< of one element of a routed token
};

/// Megatron-Core, 2024 and later: flash attention, fused kernels, experts, FP8 and FP4. megatron_core.yaml.
struct CoreConstants {
  std::vector<std::string> exchanged_models = {};  ///< whose recipes leave tokens across domains to NCCL's all-to-all
  double exposed_tensor_share = 0;
  double adapter_factor = 0;          ///< on layers of which only adapters (LoRA) are trained
  double layer_us = 0;                ///< per layer and micro-batch
  double grouped_matrix_factor = 0;   ///< on the products of experts
  double permute_passes = 0;          ///< over routed tokens
  double activation_passes = 0;       ///< over the activations of experts
  double expert_us = 0;               ///< per local expert, layer and micro-batch
  double expert_layer_us = 0;         ///< per layer with experts and micro-batch
  double exposed_exchange_share = 0;  ///< of the all-to-all inside the scale-up domain
  double exchange_gb_per_s = 0;       ///< across domains, per device
  double hybrid_bytes = 0;            ///< per token, layer and width
  double exposed_sharding_share = 0;  ///< FSDP
  double optimizer_bytes_per_parameter = 0;
  double exposed_gradient_share = 0;  ///< of gradients and parameters, besides what compute does not cover
  double gradient_cover_share = 0;    ///< of a micro-batch: its backward pass
  double gather_cover_share = 0;      ///< its forward pass
  double logit_bytes = 0;
  double cross_node_tensor_factor = 0;  ///< on tensor-parallel traffic that leaves the node
  // Of the host. Steps that were only measured where devices are the slower ones have none of these.
  double host_layer_us = 0;         ///< launching both passes of a layer: it computes no faster
  double host_micro_batch_us = 0;   ///< per micro-batch and stage
  double host_message_us = 0;       ///< per micro-batch of a stage that talks to others
  double host_far_message_us = 0;   ///< besides, per tensor rank, where those are in other nodes
  double host_step_us = 0;          ///< per step: launching graphs, input, logging
  double host_expert_layer_us = 0;  ///< launching both passes of a layer with experts, besides expert_us of each
  double host_paired_factor = 1;    ///< where its passes are cut into pieces that run in turn with another's
  std::vector<CoreRates> rates = {};
  std::vector<CoreRelease> releases = {};  ///< by date, ascending; before the first, nothing is scaled
  std::vector<CorePrecision> precisions = {};
  std::vector<CoreRecipe> recipes = {};
};

struct ServingRates {
  std::vector<std::string> generations = {};
  double layer_us = 0;
  double all_reduce_us = 0;  ///< per layer, with tensor parallelism
};

/// Serving stacks (TensorRT-LLM, FasterTransformer, vLLM). serving.yaml.
struct ServingConstants {
  double memory_share = 0;         ///< of the memory bandwidth that a decode step reaches
  double decode_matrix_share = 0;  ///< of the bf16 peak
  double prefill_matrix_share = 0;
  double all_reduce_growth = 0;  ///< per all_reduce_width of hidden
  double all_reduce_width = 0;
  double prefill_network_share = 0;  ///< of the scale-up bandwidth
  /// Of a decode step's all-reduce as measured, what is not on the wire: launching, and ranks that wait for one
  /// another. The rest is the network's.
  double all_reduce_software_share = 0;
  double queued_prefill_share = 0;  ///< of the others' prefills that a request waits for
  std::vector<ServingRates> rates = {};
};

/// What a serving stack reaches on devices of some generations, and what it adds to their kernels.
struct StackRates {
  std::string stack = {};  ///< "vllm"; "any"
  std::vector<std::string> generations = {};
  std::optional<std::string> source = {};  ///< whose measurements, where these are not those of the file
  double layer_us = 0;                     ///< launches, gaps and small kernels of a layer, per step
  double expert_layer_us = 0;              ///< besides, of a layer with experts
  double latent_layer_us = 0;              ///< besides, of one with latent attention
  double memory_share = 0;                 ///< of the memory bandwidth, for weights and cache
  double all_reduce_us = 0;                ///< latency
  double all_reduce_share = 0;             ///< of the scale-up bandwidth, for the few bytes of a decode step
  double prompt_matrix_share = 0;          ///< of the peak
};

/// vLLM, SGLang, TensorRT-LLM, by measured serving points. serving_stacks.yaml, which `orrery llm calibrate` writes.
struct StackConstants {
  double decode_matrix_share = 0;    ///< of the peak
  double four_bit_matrix_share = 0;  ///< of that, where products are of four bits
  double four_bit_read_factor = 0;   ///< on the bytes of dense layers whose weights have four bits
  double prompt_network_share = 0;   ///< of the scale-up bandwidth
  double usable_memory_share = 0;    ///< for weights and cache
  double pull = 0;                   ///< of the fit: how strongly stacks are pulled to what all have, in points
  StackRates start;                  ///< what the fit began with
  StackRates common;                 ///< of all: stands for generations on which a stack was not measured
  std::vector<StackRates> stacks = {};
  KindAccuracy unseen;  ///< of time per token of models that the constants had not seen
};

/// How much memory a 3D-parallel step takes on its fullest rank. nanotron.yaml.
struct ShardMemoryConstants {
  double bytes_per_parameter = 0;        ///< weights, gradients, accumulation
  double state_bytes_per_parameter = 0;  ///< optimizer states and master weights: sharded by ZeRO
  double replicated_activation = 0;      ///< copies of the hidden state that tensor parallelism does not share
  double hidden_activation = 0;          ///< and that it does
  double ffn_activation = 0;
  double logit_bytes = 0;
  double head_layer_share =
      0;  ///< cost of the head in layers when stages are cut, in units of its share of the parameters
  double overhead_mb = 0;
  double usable_share = 0;  ///< of the device memory
};

/// A cluster as far as the closed forms need it: the network of one node. data/clusters has one file each.
struct Cluster {
  std::string name;
  double node_gb_per_s = 0;  ///< of all its network ports, one direction
  double node_devices = 0;
  // Of clusters on which jobs timed their own collectives: llm/steps/measured_network.
  double ring_gb_per_s = 0;  ///< of a node's ports, that gathering and scattering long messages reach; 0: not known
  double all_reduce_gb_per_s = 0;  ///< and all-reduces
  double ring_step_us = 0;         ///< latency of a step of a ring, where a job did not time it
  double timed_mb = 0;             ///< the buffer that jobs timed
};

/// The entry for a generation of devices; the last one stands for those that are not listed.
template <typename Rates>
const Rates& rates_of(const std::vector<Rates>& rates, std::string_view generation) {
  for (const Rates& one : rates) {
    for (const std::string& listed : one.generations) {
      if (listed == generation) return one;
    }
  }
  return rates.back();
}

/// Null: none of that name.
const MegatronFlavour* find_flavour(const MegatronConstants& constants, std::string_view name);

/// The factors of the latest release of Megatron-Core that is not later than the run's, on such devices. Those of
/// experts are of steps that are captured whole: that is what fused them.
CoreRelease release_of(const CoreConstants& constants, const SoftwareRelease& release, std::string_view generation,
                       Captured captured);

/// The latest recipe that is not later than the run's release. Null: none is known.
const CoreRecipe* recipe_of(const CoreConstants& constants, std::string_view model, std::string_view device,
                            machine::DataType precision, const SoftwareRelease& release);

/// What the format gains; of one that is not listed, what bf16, the first, does.
const CorePrecision& precision_of(const CoreConstants& constants, machine::DataType type);

/// On the products of experts: those of several experts on a rank are one grouped kernel; a single one is a product
/// like any other.
double grouping_factor(const CoreConstants& constants, const CoreRelease& release, double local_experts);

/// How kernels come to a device.
struct Launching {
  Captured captured = Captured::nothing;
  bool paired = false;  ///< in pieces of two passes in turn
};
/// What the host takes to launch both passes of a layer with experts; 0: devices are the slower ones.
double launch_seconds(const CoreConstants& constants, const CoreRelease& release, double local_experts,
                      const Launching& how);

}  // namespace orrery::llm

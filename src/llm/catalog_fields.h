// The fields of what the catalogue reads, as its files spell them: frameworks, clusters, ways of measuring, accuracy.
#pragma once

#include "llm/frameworks.h"
#include "llm/measurements.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

/// Times, rates and factors: finite, and never negative.
inline constexpr machine::Range kConstant = {0, 1e18, true};
/// Of a peak or a bandwidth.
inline constexpr machine::Range kShare = {0, 1};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<EagerStyle> auto& value) {
  visitor.text("name", value.name);
  visitor.whole("forward_kernels_per_layer", value.forward_kernels_per_layer, kConstant);
  visitor.whole("forward_kernels", value.forward_kernels, kConstant);
  visitor.whole("backward_kernels_per_layer", value.backward_kernels_per_layer, kConstant);
  visitor.whole("decode_kernels_per_layer", value.decode_kernels_per_layer, kConstant);
  visitor.whole("decode_kernels", value.decode_kernels, kConstant);
  visitor.number("decode_small_kernels", value.decode_small_kernels, kConstant);
  visitor.number("backward_ffn_copies", value.backward_ffn_copies, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<EagerConstants> auto& value) {
  visitor.format("format", "orrery.eager/1");
  visitor.number("gap_us", value.gap_us, kConstant);
  visitor.number("inference_launch_us", value.inference_launch_us, kConstant);
  visitor.number("training_launch_us", value.training_launch_us, kConstant);
  visitor.number("host_corner", value.host_corner, kConstant);
  visitor.number("mixed_precision_kernels", value.mixed_precision_kernels, kConstant);
  visitor.whole("step_kernels", value.step_kernels, kConstant);
  visitor.number("decode_small_kernel_us", value.decode_small_kernel_us, kConstant);
  visitor.number("decode_ns_per_width", value.decode_ns_per_width, kConstant);
  visitor.number("decode_gap_us", value.decode_gap_us, kConstant);
  visitor.number("decode_attention_us", value.decode_attention_us, kConstant);
  visitor.number("decode_attention_short_factor", value.decode_attention_short_factor, kConstant);
  visitor.whole("short_context", value.short_context, kConstant);
  visitor.number("cache_read_share", value.cache_read_share, kConstant);
  visitor.number("training_overhead_mb", value.training_overhead_mb, kConstant);
  visitor.number("loss_residual_copies", value.loss_residual_copies, kConstant);
  visitor.number("workspace_low_mib", value.workspace_low_mib, kConstant);
  visitor.number("workspace_high_mib", value.workspace_high_mib, kConstant);
  visitor.number("workspace_half_gib", value.workspace_half_gib, kConstant);
  visitor.list("styles", value.styles, machine::Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MegatronFlavour> auto& value) {
  visitor.text("name", value.name);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("pipeline_chunk_us", value.pipeline_chunk_us, kConstant);
  visitor.flag("splits_messages", value.splits_messages);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MegatronConstants> auto& value) {
  visitor.format("format", "orrery.megatron/1");
  visitor.number("forward_elementwise_factor", value.forward_elementwise_factor, kConstant);
  visitor.number("backward_elementwise_factor", value.backward_elementwise_factor, kConstant);
  visitor.number("forward_softmax_factor", value.forward_softmax_factor, kConstant);
  visitor.number("backward_softmax_factor", value.backward_softmax_factor, kConstant);
  visitor.number("layer_floor_us", value.layer_floor_us, kConstant);
  visitor.number("without_recomputation_factor", value.without_recomputation_factor, kConstant);
  visitor.number("all_reduce_latency_us", value.all_reduce_latency_us, kConstant);
  visitor.number("all_reduce_ramp_mb", value.all_reduce_ramp_mb, kConstant);
  visitor.number("all_reduce_gb_per_s", value.all_reduce_gb_per_s, kConstant);
  visitor.number("cross_node_tensor_share", value.cross_node_tensor_share, kConstant);
  visitor.number("host_layer_us", value.host_layer_us, kConstant);
  visitor.number("host_tensor_us", value.host_tensor_us, kConstant);
  visitor.number("host_tensor_exponent", value.host_tensor_exponent, kConstant);
  visitor.number("host_micro_batch_us", value.host_micro_batch_us, kConstant);
  visitor.number("host_corner", value.host_corner, kConstant);
  visitor.number("micro_batch_us", value.micro_batch_us, kConstant);
  visitor.number("message_latency_us", value.message_latency_us, kConstant);
  visitor.number("message_gb_per_s", value.message_gb_per_s, kConstant);
  visitor.number("exposed_message_share", value.exposed_message_share, kConstant);
  visitor.number("data_parallel_share", value.data_parallel_share, kConstant);
  visitor.number("streaming_share", value.streaming_share, kConstant);
  visitor.number("head_bytes_per_logit", value.head_bytes_per_logit, kConstant);
  visitor.number("accumulation_bytes_per_parameter", value.accumulation_bytes_per_parameter, kConstant);
  visitor.number("zero3_node_gb_per_s", value.zero3_node_gb_per_s, kConstant);
  visitor.number("zero3_layer_us", value.zero3_layer_us, kConstant);
  visitor.number("zero3_optimizer_bytes_per_parameter", value.zero3_optimizer_bytes_per_parameter, kConstant);
  visitor.list("flavours", value.flavours, machine::Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<FsdpRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("attention_forward_share", value.attention_forward_share, kConstant);
  visitor.number("attention_backward_share", value.attention_backward_share, kConstant);
  visitor.number("node_gb_per_s", value.node_gb_per_s, kConstant);
  visitor.number("network_gb_per_s", value.network_gb_per_s, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<FsdpConstants> auto& value) {
  visitor.format("format", "orrery.fsdp/1");
  visitor.number("elementwise_factor", value.elementwise_factor, kConstant);
  visitor.number("cross_entropy_factor", value.cross_entropy_factor, kConstant);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("exposed_share", value.exposed_share, kConstant);
  visitor.number("collective_latency_us", value.collective_latency_us, kConstant);
  visitor.number("node_devices", value.node_devices, kConstant);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.list("rates", value.rates, machine::Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<PairConstants> auto& value) {
  visitor.format("format", "orrery.paired_devices/1");
  visitor.number("compute_factor", value.compute_factor, kConstant);
  visitor.number("pair_gb_per_s", value.pair_gb_per_s, kConstant);
  visitor.number("cross_gb_per_s", value.cross_gb_per_s, kConstant);
  visitor.number("hidden_share", value.hidden_share, kConstant);
  visitor.number("pair_devices", value.pair_devices, kConstant);
  visitor.number("devices", value.devices, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("matrix_slowdown", value.matrix_slowdown, kConstant);
  visitor.number("compute_factor", value.compute_factor, kConstant);
  visitor.number("elementwise_factor", value.elementwise_factor, kConstant);
  visitor.number("attention_share", value.attention_share, kConstant);
  visitor.number("tensor_gb_per_s", value.tensor_gb_per_s, kConstant);
  visitor.number("port_gb_per_s", value.port_gb_per_s, kConstant);
  visitor.number("sharded_gb_per_s", value.sharded_gb_per_s, kConstant);
  visitor.number("hybrid_matrix_share", value.hybrid_matrix_share, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreRecipe> auto& value) {
  visitor.number("year", value.year, kConstant);
  visitor.number("month", value.month, kConstant);
  visitor.number("patch", value.patch, kConstant, machine::Default{0.0});
  visitor.texts("models", value.models);
  visitor.texts("devices", value.devices);
  visitor.texts("precisions", value.precisions);
  visitor.choice("captured", value.captured, kCapturedNames, machine::Default{Captured::nothing});
  visitor.flag("pairs", value.pairs);
  visitor.flag("fused", value.fused);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreRelease> auto& value) {
  visitor.number("year", value.year, kConstant);
  visitor.number("month", value.month, kConstant);
  visitor.texts("generations", value.generations);
  visitor.number("matrix_factor", value.matrix_factor, kConstant, machine::Default{1.0});
  visitor.number("expert_overhead_factor", value.expert_overhead_factor, kConstant);
  visitor.number("expert_matrix_factor", value.expert_matrix_factor, kConstant);
  visitor.number("hybrid_byte_factor", value.hybrid_byte_factor, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CorePrecision> auto& value) {
  visitor.text("name", value.name);
  visitor.number("matrix_gain", value.matrix_gain, kConstant);
  visitor.number("expert_matrix_gain", value.expert_matrix_gain, kConstant);
  visitor.number("hybrid_gain", value.hybrid_gain, kConstant);
  visitor.number("token_bytes", value.token_bytes, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<CoreConstants> auto& value) {
  visitor.format("format", "orrery.megatron_core/1");
  visitor.texts("exchanged_models", value.exchanged_models);
  visitor.number("exposed_tensor_share", value.exposed_tensor_share, kConstant);
  visitor.number("adapter_factor", value.adapter_factor, kConstant);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("grouped_matrix_factor", value.grouped_matrix_factor, kConstant);
  visitor.number("permute_passes", value.permute_passes, kConstant);
  visitor.number("activation_passes", value.activation_passes, kConstant);
  visitor.number("expert_us", value.expert_us, kConstant);
  visitor.number("expert_layer_us", value.expert_layer_us, kConstant);
  visitor.number("exposed_exchange_share", value.exposed_exchange_share, kConstant);
  visitor.number("exchange_gb_per_s", value.exchange_gb_per_s, kConstant);
  visitor.number("hybrid_bytes", value.hybrid_bytes, kConstant);
  visitor.number("exposed_sharding_share", value.exposed_sharding_share, kConstant);
  visitor.number("optimizer_bytes_per_parameter", value.optimizer_bytes_per_parameter, kConstant);
  visitor.number("exposed_gradient_share", value.exposed_gradient_share, kConstant);
  visitor.number("gradient_cover_share", value.gradient_cover_share, kConstant);
  visitor.number("gather_cover_share", value.gather_cover_share, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.number("cross_node_tensor_factor", value.cross_node_tensor_factor, kConstant);
  visitor.number("host_layer_us", value.host_layer_us, kConstant, machine::Default{0.0});
  visitor.number("host_micro_batch_us", value.host_micro_batch_us, kConstant, machine::Default{0.0});
  visitor.number("host_message_us", value.host_message_us, kConstant, machine::Default{0.0});
  visitor.number("host_far_message_us", value.host_far_message_us, kConstant, machine::Default{0.0});
  visitor.number("host_step_us", value.host_step_us, kConstant, machine::Default{0.0});
  visitor.number("host_expert_layer_us", value.host_expert_layer_us, kConstant, machine::Default{0.0});
  visitor.number("host_paired_factor", value.host_paired_factor, kConstant, machine::Default{1.0});
  visitor.list("rates", value.rates, machine::Required{});
  visitor.list("releases", value.releases, machine::Required{});
  visitor.list("precisions", value.precisions, machine::Required{});
  visitor.list("recipes", value.recipes);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingRates> auto& value) {
  visitor.texts("generations", value.generations);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("all_reduce_us", value.all_reduce_us, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ServingConstants> auto& value) {
  visitor.format("format", "orrery.serving/1");
  visitor.number("memory_share", value.memory_share, kConstant);
  visitor.number("decode_matrix_share", value.decode_matrix_share, kConstant);
  visitor.number("prefill_matrix_share", value.prefill_matrix_share, kConstant);
  visitor.number("all_reduce_growth", value.all_reduce_growth, kConstant);
  visitor.number("all_reduce_width", value.all_reduce_width, kConstant);
  visitor.number("prefill_network_share", value.prefill_network_share, kConstant);
  visitor.number("all_reduce_software_share", value.all_reduce_software_share, kConstant);
  visitor.number("queued_prefill_share", value.queued_prefill_share, kConstant);
  visitor.list("rates", value.rates, machine::Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<StackRates> auto& value) {
  visitor.text("stack", value.stack);
  visitor.texts("generations", value.generations);
  visitor.text("source", value.source);
  visitor.number("layer_us", value.layer_us, kConstant);
  visitor.number("expert_layer_us", value.expert_layer_us, kConstant);
  visitor.number("latent_layer_us", value.latent_layer_us, kConstant);
  visitor.number("memory_share", value.memory_share, kShare);
  visitor.number("all_reduce_us", value.all_reduce_us, kConstant);
  visitor.number("all_reduce_share", value.all_reduce_share, kShare);
  visitor.number("prompt_matrix_share", value.prompt_matrix_share, kShare);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<StackConstants> auto& value) {
  visitor.format("format", "orrery.serving_stacks/1");
  visitor.number("decode_matrix_share", value.decode_matrix_share, kShare);
  visitor.number("four_bit_matrix_share", value.four_bit_matrix_share, kShare);
  visitor.number("four_bit_read_factor", value.four_bit_read_factor, kConstant);
  visitor.number("prompt_network_share", value.prompt_network_share, kShare);
  visitor.number("usable_memory_share", value.usable_memory_share, kShare);
  visitor.number("pull", value.pull, kConstant);
  visitor.object("start", value.start);
  visitor.object("common", value.common);
  visitor.list("stacks", value.stacks, machine::Required{});
  visitor.object("unseen", value.unseen);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ShardMemoryConstants> auto& value) {
  visitor.format("format", "orrery.shard_memory/1");
  visitor.number("bytes_per_parameter", value.bytes_per_parameter, kConstant);
  visitor.number("state_bytes_per_parameter", value.state_bytes_per_parameter, kConstant);
  visitor.number("replicated_activation", value.replicated_activation, kConstant);
  visitor.number("hidden_activation", value.hidden_activation, kConstant);
  visitor.number("ffn_activation", value.ffn_activation, kConstant);
  visitor.number("logit_bytes", value.logit_bytes, kConstant);
  visitor.number("head_layer_share", value.head_layer_share, kConstant);
  visitor.number("overhead_mb", value.overhead_mb, kConstant);
  visitor.number("usable_share", value.usable_share, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Cluster> auto& value) {
  visitor.format("format", "orrery.cluster/1");
  visitor.text("name", value.name);
  visitor.number("node_gb_per_s", value.node_gb_per_s, kConstant);
  visitor.number("node_devices", value.node_devices, kConstant);
  visitor.number("ring_gb_per_s", value.ring_gb_per_s, kConstant, machine::Default{0.0});
  visitor.number("all_reduce_gb_per_s", value.all_reduce_gb_per_s, kConstant, machine::Default{0.0});
  visitor.number("ring_step_us", value.ring_step_us, kConstant, machine::Default{0.0});
  visitor.number("timed_mb", value.timed_mb, kConstant, machine::Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MethodDevice> auto& value) {
  visitor.text("device", value.device);
  visitor.number("added_us", value.added_us, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MethodKernel> auto& value) {
  visitor.text("device", value.device);
  visitor.text("kernel", value.kernel);
  visitor.number("floor_us", value.floor_us, kConstant);
  visitor.number("bandwidth_gb_per_s", value.bandwidth_gb_per_s, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MeasuringMethod> auto& value) {
  visitor.format("format", "orrery.measuring_method/1");
  visitor.text("name", value.name);
  visitor.number("clock_share", value.clock_share, kConstant);
  visitor.number("floor_us", value.floor_us, kConstant);
  visitor.flag("cold_cache", value.cold_cache);
  visitor.flag("power_throttled", value.power_throttled);
  visitor.number("added_us", value.added_us, kConstant);
  visitor.number("vector_ns_per_k", value.vector_ns_per_k, kConstant);
  visitor.number("vector_wave_share", value.vector_wave_share, kConstant);
  visitor.list("devices", value.devices, machine::Required{});
  visitor.list("kernels", value.kernels, machine::Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<KindAccuracy> auto& value) {
  visitor.text("name", value.name);
  visitor.whole("rows", value.rows, kConstant);
  visitor.number("low_ratio", value.low_ratio, kConstant);
  visitor.number("high_ratio", value.high_ratio, kConstant);
  visitor.number("unseen_pct", value.unseen_pct, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<Accuracy> auto& value) {
  visitor.format("format", "orrery.accuracy/1");
  visitor.list("kinds", value.kinds, machine::Required{});
}

}  // namespace orrery::llm

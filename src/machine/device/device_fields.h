// The fields of a device description, each said once: reader, writer and checker are visitors of this list.
#pragma once

#include "machine/device/chip_budget_fields.h"
#include "machine/device/device.h"
#include "machine/yaml/machine_fields.h"

namespace orrery::machine {

inline constexpr std::string_view kDeviceFormat = "orrery.device/1";
inline constexpr Range kFactor = {0, 1e6, true};
inline constexpr Range kExponent = {-10, 10};
inline constexpr Range kColumnCount = {1, 1LL << 40, true};

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<GemmConstants> auto& value) {
  visitor.number("wave_share", value.wave_share, kFactor);
  visitor.number("tile_efficiency", value.tile_efficiency, kFactor);
  visitor.number("tile_edge", value.tile_edge, kFactor);
  visitor.number("pipeline_fill", value.pipeline_fill, kFactor);
  visitor.number("throttle_per_e_fold", value.throttle_per_e_fold, kFactor);
  visitor.number("throttle_from_gflop", value.throttle_from_gflop, kFactor);
  visitor.number("memory_share", value.memory_share, kFactor);
  visitor.number("event_floor_us", value.event_floor_us, kDelay);
  visitor.number("stream_floor_us", value.stream_floor_us, kDelay);
  visitor.number("split_us", value.split_us, kDelay);
  visitor.number("dirty_share", value.dirty_share, kFactor);
  visitor.number("dirty_limit_mb", value.dirty_limit_mb, kFactor);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<AttentionConstants> auto& value) {
  visitor.number("forward_share", value.forward_share, kFactor);
  visitor.number("forward_half_sequence", value.forward_half_sequence, kFactor);
  visitor.number("backward_share", value.backward_share, kFactor);
  visitor.number("backward_half_sequence", value.backward_half_sequence, kFactor);
  visitor.number("narrow_head_forward", value.narrow_head_forward, kFactor);
  visitor.number("narrow_head_backward", value.narrow_head_backward, kFactor);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<ElementwiseShares> auto& value) {
  visitor.number("norm_forward", value.norm_forward, kShare);
  visitor.number("norm_backward", value.norm_backward, kShare);
  visitor.number("add", value.add, kShare);
  visitor.number("activation_forward", value.activation_forward, kShare);
  visitor.number("activation_backward", value.activation_backward, kShare);
  visitor.number("bias_gradient", value.bias_gradient, kShare);
  visitor.number("rotary_forward", value.rotary_forward, kShare);
  visitor.number("rotary_backward", value.rotary_backward, kShare);
  visitor.number("cross_entropy", value.cross_entropy, kShare);
  visitor.number("accumulate", value.accumulate, kShare);
  visitor.number("cast", value.cast, kShare);
  visitor.number("optimizer_16bit", value.optimizer_16bit, kShare);
  visitor.number("optimizer_32bit", value.optimizer_32bit, kShare);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<StreamingKernel> auto& value) {
  visitor.number("floor_us", value.floor_us, kDelay);
  visitor.number("bandwidth_gb_per_s", value.bandwidth_gb_per_s, kRate);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<RowKernel> auto& value) {
  visitor.number("floor_us", value.floor_us, kDelay);
  visitor.number("block_us", value.block_us, kDelay);
  visitor.number("column_ns", value.column_ns, kDelay);
  visitor.number("blocks_per_unit", value.blocks_per_unit, kRatio);
  visitor.number("sharpness", value.sharpness, kRatio);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<RowAlgorithm> auto& value) {
  visitor.count("max_columns", value.max_columns, kColumnCount);
  visitor.number("bandwidth_gb_per_s", value.bandwidth_gb_per_s, kRate);
  visitor.number("at_columns", value.at_columns, kRatio, Default{1.0});
  visitor.number("exponent", value.exponent, kExponent, Default{0.0});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<SoftmaxKernel> auto& value) {
  visitor.number("floor_us", value.floor_us, kDelay);
  visitor.list("algorithms", value.algorithms, Required{});
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<AttentionKernel> auto& value) {
  visitor.number("floor_us", value.floor_us, kDelay);
  visitor.number("forward_share", value.forward_share, kFactor);
  visitor.number("forward_half_sequence", value.forward_half_sequence, kFactor);
  visitor.number("backward_share", value.backward_share, kFactor);
  visitor.number("backward_half_sequence", value.backward_half_sequence, kFactor);
  visitor.number("gradient_passes", value.gradient_passes, kFactor);
  visitor.number("host_us", value.host_us, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<BlockKernel> auto& value) {
  visitor.number("factor", value.factor, kFactor);
  visitor.number("forward_us", value.forward_us, kDelay);
  visitor.number("both_us", value.both_us, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<NamedKernel> auto& value) {
  visitor.text("kind", value.kind);
  describe(visitor, value.kernel);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<KernelAccuracy> auto& value) {
  visitor.text("kind", value.kind);
  visitor.count("rows", value.rows, kColumnCount);
  visitor.number("low_ratio", value.low_ratio, kRatio);
  visitor.number("high_ratio", value.high_ratio, kRatio);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<StandaloneKernels> auto& value) {
  visitor.object("add", value.add);
  visitor.object("gelu", value.gelu);
  visitor.object("softmax", value.softmax);
  visitor.object("norm", value.norm);
  visitor.object("host_copy", value.host_copy);
  visitor.object("device_copy", value.device_copy);
  visitor.object("attention", value.attention);
  visitor.object("block", value.block);
  visitor.list("kinds", value.kinds);
  visitor.texts("estimated", value.estimated);
}

/// What budgets stand for.
template <typename Visitor>
void describe_rates(Visitor& visitor, MaybeConst<Device> auto& device) {
  visitor.count("compute_unit_count", device.compute_unit_count, kDeviceCount);
  visitor.rates("matrix_peak_tflops", device.matrix_peak_tflops, kRate);
  visitor.rates("vector_peak_tflops", device.vector_peak_tflops, kRate);
  visitor.object("memory", device.memory);
  visitor.object("cache", device.cache);
  visitor.number("scale_up_gb_per_s", device.scale_up_gb_per_s, kRate);
  visitor.count("scale_up_devices", device.scale_up_devices, kDeviceCount);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Device> auto& device) {
  visitor.format("format", kDeviceFormat);
  visitor.text("name", device.name);
  visitor.texts("aliases", device.aliases);
  visitor.text("generation", device.generation);
  visitor.object("budgets", device.budgets);
  if (!device.budgets) describe_rates(visitor, device);
  visitor.number("host_link_gb_per_s", device.host_link_gb_per_s, kRate);
  visitor.number("sustained_slowdown", device.sustained_slowdown, kRatio, Default{1.0});
  visitor.object("gemm", device.gemm);
  visitor.object("attention", device.attention);
  visitor.object("elementwise", device.elementwise);
  visitor.object("standalone", device.standalone);
  visitor.list("accuracy", device.accuracy);
}

}  // namespace orrery::machine

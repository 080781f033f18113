// The fields of a device description, each said once: reader, writer and checker are visitors of this list.
#pragma once

#include "machine/device/chip_budget.h"
#include "machine/device/device.h"
#include "machine/yaml/machine_fields.h"

namespace orrery::machine {

// The fields of `budgets` in a device description, each said once.

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<VoltageCurve> auto& value) {
  visitor.number("nominal_voltage_v", value.nominal_voltage_v, kRatio);
  visitor.number("threshold_voltage_v", value.threshold_voltage_v, kRatio);
  visitor.number("margin_v", value.margin_v, kDelay, Default{0.0});
  visitor.number("nominal_frequency_ghz", value.nominal_frequency_ghz, kRate);
}

/// In line with the part that they belong to: a mapping for two numbers would hide them.
template <typename Visitor>
void describe_share(Visitor& visitor, MaybeConst<BudgetShare> auto& value) {
  visitor.number("area_share", value.area_share, kShare);
  visitor.number("power_share", value.power_share, kShare);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<CoreBudget> auto& value) {
  describe_share(visitor, value.share);
  visitor.number("unit_area_mm2", value.unit_area_mm2, kRate);
  visitor.number("unit_power_w", value.unit_power_w, kRate);
  visitor.count("units_per_compute_unit", value.units_per_compute_unit, kDeviceCount);
  visitor.count("unit_rows", value.unit_rows, kDeviceCount);
  visitor.count("unit_columns", value.unit_columns, kDeviceCount);
  visitor.rates("flop_per_cycle", value.flop_per_cycle, kRate);
  visitor.rates("vector_flop_per_cycle", value.vector_flop_per_cycle, kRate);
  visitor.object("voltage", value.voltage);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<SramBudget> auto& value) {
  describe_share(visitor, value.share);
  visitor.number("bank_area_mm2", value.bank_area_mm2, kRate);
  visitor.number("bank_kb", value.bank_kb, kRate);
  visitor.number("bank_leakage_w", value.bank_leakage_w, kDelay, Default{0.0});
  visitor.number("controller_area_mm2", value.controller_area_mm2, kDelay, Default{0.0});
  visitor.number("energy_pj_per_byte", value.energy_pj_per_byte, kRate);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<DramBudget> auto& value) {
  describe_share(visitor, value.share);
  visitor.number("stack_area_mm2", value.stack_area_mm2, kRate);
  visitor.number("stack_gb", value.stack_gb, kRate);
  visitor.number("links_per_stack", value.links_per_stack, kRate);
  visitor.number("links_per_mm", value.links_per_mm, kRate);
  visitor.number("link_power_w", value.link_power_w, kRate);
  visitor.object("voltage", value.voltage);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<NetworkBudget> auto& value) {
  describe_share(visitor, value.share);
  visitor.number("link_area_mm2", value.link_area_mm2, kRate);
  visitor.number("link_gb_per_s", value.link_gb_per_s, kRate);
  visitor.number("energy_pj_per_byte", value.energy_pj_per_byte, kRate);
  visitor.count("devices", value.devices, kDeviceCount);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<ChipBudget> auto& value) {
  visitor.number("area_mm2", value.area_mm2, kRate);
  visitor.number("power_w", value.power_w, kRate);
  visitor.object("core", value.core);
  visitor.object("registers", value.registers);
  visitor.object("l1", value.l1);
  visitor.number("l1_tile_edge", value.l1_tile_edge, kRatio);
  visitor.object("l2", value.l2);
  visitor.object("dram", value.dram);
  visitor.object("network", value.network);
}

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
  visitor.object("gemm", device.gemm, Default{GemmConstants{}});
  visitor.object("attention", device.attention, Default{AttentionConstants{}});
  visitor.object("elementwise", device.elementwise, Default{ElementwiseShares{}});
  visitor.object("standalone", device.standalone);
  visitor.list("accuracy", device.accuracy);
  visitor.text("tables", device.tables);
}

}  // namespace orrery::machine

// The fields of `budgets` in a device description, each said once.
#pragma once

#include "machine/device/chip_budget.h"
#include "machine/yaml/machine_fields.h"

namespace orrery::machine {

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

}  // namespace orrery::machine

// A chip described by what it may cost, not by how fast it is: area and power, split among its parts, and what one unit
// of each part takes. The rates follow, as in technology path-finding (Ardalani, Pal, Gupta: "DeepFlow", ACM TODAES
// 29(2), 2024):
//
// - matrix units = floor(core area / area of one).
// - V is the root of V (V - Vt)^2 = (power / nominal power) Vnom (Vnom - Vt)^2, since dynamic power goes with f V^2,
//   and f with (V - Vt)^2 / V.
// - f = fnom [(V - Vt)^2 / V] / [(Vnom - Vt)^2 / Vnom], times (V / Vc)^2 if V is below the least voltage
//   Vc = Vt + margin, at which the chip then runs: f Vc^2 still is what the budget pays for.
// - memory links = min(edge of the die * links per mm, stacks * links per stack), with the same voltages;
//   bandwidth = links f / 8.
// - SRAM banks = floor((area - controllers) / area of a bank); bandwidth = (power - leakage) / energy per byte.
//
// Matrix units cannot compute faster than registers and L1 feed them: an r x c unit reads b (r + c) bytes per 2 r c
// operations from registers, a tile of e x e reads b / e bytes per operation from L1, with elements of b bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/machine.h"
#include "machine/yaml/violation.h"

namespace orrery::machine {

/// How fast logic switches at which voltage.
struct VoltageCurve {
  double nominal_voltage_v = 0;
  double threshold_voltage_v = 0;    ///< Vt, below the nominal one
  double margin_v = 0;               ///< above Vt, below which the voltage does not go
  double nominal_frequency_ghz = 0;  ///< of a memory link: Gbit/s

  friend bool operator==(const VoltageCurve&, const VoltageCurve&) = default;
};

/// The root at or above Vt for a power of `power_ratio` times the nominal one, which must not be negative.
double operating_voltage_v(const VoltageCurve& curve, double power_ratio);
/// Never falls as power grows; 0 without power.
double operating_frequency_ghz(const VoltageCurve& curve, double power_ratio);

/// What a part may take of the chip's area and power.
struct BudgetShare {
  double area_share = 0;
  double power_share = 0;

  friend bool operator==(const BudgetShare&, const BudgetShare&) = default;
};

struct CoreBudget {
  BudgetShare share;
  double unit_area_mm2 = 0;  ///< of one matrix unit, with what belongs to it
  double unit_power_w = 0;   ///< at nominal voltage and frequency
  std::int64_t units_per_compute_unit = 0;
  std::int64_t unit_rows = 0, unit_columns = 0;  ///< r x c
  PeakTflops flop_per_cycle = {};                ///< of one matrix unit; bf16 is required
  PeakTflops vector_flop_per_cycle = {};         ///< of one compute unit outside its matrix units
  VoltageCurve voltage;

  friend bool operator==(const CoreBudget&, const CoreBudget&) = default;
};

/// Registers, L1 or L2, all of them together.
struct SramBudget {
  BudgetShare share;
  double bank_area_mm2 = 0;
  double bank_kb = 0;
  double bank_leakage_w = 0;
  double controller_area_mm2 = 0;  ///< per compute unit
  double energy_pj_per_byte = 0;

  friend bool operator==(const SramBudget&, const SramBudget&) = default;
};

struct DramBudget {
  BudgetShare share;
  double stack_area_mm2 = 0;
  double stack_gb = 0;
  double links_per_stack = 0;
  double links_per_mm = 0;  ///< of the die's edge
  double link_power_w = 0;  ///< at nominal voltage and frequency, its part of the stack included
  VoltageCurve voltage;

  friend bool operator==(const DramBudget&, const DramBudget&) = default;
};

struct NetworkBudget {
  BudgetShare share;
  double link_area_mm2 = 0;
  double link_gb_per_s = 0;  ///< one direction
  double energy_pj_per_byte = 0;
  std::int64_t devices = 0;  ///< in one scale-up domain

  friend bool operator==(const NetworkBudget&, const NetworkBudget&) = default;
};

struct ChipBudget {
  double area_mm2 = 0;  ///< the die and the memory stacks beside it
  double power_w = 0;
  CoreBudget core;
  SramBudget registers, l1, l2;
  double l1_tile_edge = 0;  ///< e
  DramBudget dram;
  NetworkBudget network;

  friend bool operator==(const ChipBudget&, const ChipBudget&) = default;
};

/// What follows for the kernel model.
struct ChipRates {
  std::int64_t compute_unit_count = 0;
  PeakTflops matrix_peak_tflops = {};
  PeakTflops vector_peak_tflops = {};
  MemoryLevel memory;
  MemoryLevel cache;
  double scale_up_gb_per_s = 0;
  std::int64_t scale_up_devices = 0;
  double core_voltage_v = 0;  ///< as it runs: not below the least one
  double core_frequency_ghz = 0;
};

/// Fields are those of `budgets` in the description. A part that the budget does not pay for (no matrix unit, leakage
/// beyond the power) is one.
std::optional<Violation> find_budget_violation(const ChipBudget& budget);
/// Only of a budget without a violation.
ChipRates rates_of(const ChipBudget& budget);

}  // namespace orrery::machine

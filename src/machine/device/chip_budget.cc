#include "machine/device/chip_budget.h"

#include <algorithm>
#include <array>
#include <cmath>

// From area to units, from power to voltage and from there to frequency; the product of these is a peak, unless
// memories feed less. Voltage is found by halving, since its equation is cubic.

namespace orrery::machine {
namespace {

constexpr double kBitsPerByte = 8;
constexpr double kMostShares = 1 + 1e-9;  // tenths do not add up to 1 in binary

double nominal_product(const VoltageCurve& c) {
  return c.nominal_voltage_v * std::pow(c.nominal_voltage_v - c.threshold_voltage_v, 2);
}
double speed_at(const VoltageCurve& c, double volts) { return std::pow(volts - c.threshold_voltage_v, 2) / volts; }

double area_of(const ChipBudget& b, const BudgetShare& share) { return b.area_mm2 * share.area_share; }
double power_of(const ChipBudget& b, const BudgetShare& share) { return b.power_w * share.power_share; }

double matrix_units(const ChipBudget& b) { return std::floor(area_of(b, b.core.share) / b.core.unit_area_mm2); }
// Whole compute units only: what is left of the matrix units has no place.
double compute_units(const ChipBudget& b) {
  return std::floor(matrix_units(b) / static_cast<double>(b.core.units_per_compute_unit));
}

double core_power_ratio(const ChipBudget& b) {
  // Power is divided among the units that are there, not among those that area alone would allow.
  const double units = compute_units(b) * static_cast<double>(b.core.units_per_compute_unit);
  return power_of(b, b.core.share) / (units * b.core.unit_power_w);
}

double banks_of(const ChipBudget& b, const SramBudget& sram) {
  // Every compute unit needs a controller of its own, before there is room for banks.
  const double controllers = sram.controller_area_mm2 * compute_units(b);
  return std::floor((area_of(b, sram.share) - controllers) / sram.bank_area_mm2);
}
double watts_to_move(const ChipBudget& b, const SramBudget& sram) {
  // Leakage is paid whether anything moves or not.
  return power_of(b, sram.share) - sram.bank_leakage_w * banks_of(b, sram);
}
double bytes_per_s(const ChipBudget& b, const SramBudget& sram) {
  return watts_to_move(b, sram) / (sram.energy_pj_per_byte * 1e-12);
}

double stacks_of(const ChipBudget& b) { return std::floor(area_of(b, b.dram.share) / b.dram.stack_area_mm2); }
double memory_links(const ChipBudget& b) {
  const double die_mm2 = b.area_mm2 - area_of(b, b.dram.share);
  // Links to memory leave the die at its edge.
  const double edge_mm = 4 * std::sqrt(die_mm2);  // of a square
  // Whichever is fewer: links that the die's edge has room for, or links that the stacks offer.
  return std::floor(std::min(edge_mm * b.dram.links_per_mm, b.dram.links_per_stack * stacks_of(b)));
}

double fed_flops(const ChipBudget& b, DataType type) {
  const double element = bytes_of(type);
  const auto rows = static_cast<double>(b.core.unit_rows), columns = static_cast<double>(b.core.unit_columns);
  // Bytes per operation: 2 x rows x columns operations for rows + columns elements that are read.
  const double by_registers = bytes_per_s(b, b.registers) / (element * (rows + columns) / (2 * rows * columns));
  const double by_l1 = bytes_per_s(b, b.l1) / (element / b.l1_tile_edge);
  return std::min(by_registers, by_l1);
}

double network_gb_per_s(const ChipBudget& b) {
  const double links = std::floor(area_of(b, b.network.share) / b.network.link_area_mm2);
  const double paid_for = power_of(b, b.network.share) / (b.network.energy_pj_per_byte * 1e-12) * 1e-9;
  return std::min(links * b.network.link_gb_per_s, paid_for);
}

std::optional<Violation> find_curve_violation(const VoltageCurve& curve, const std::string& field) {
  if (curve.threshold_voltage_v < curve.nominal_voltage_v) return std::nullopt;
  return Violation{field + ".threshold_voltage_v", "must be below the nominal voltage"};
}

std::optional<Violation> find_sram_violation(const ChipBudget& b, const SramBudget& sram, const std::string& field) {
  if (banks_of(b, sram) < 1) return Violation{field, "has no area for a bank beside its controllers"};
  if (watts_to_move(b, sram) <= 0) return Violation{field, "leaks all the power that it is given"};
  return std::nullopt;
}

}  // namespace

double operating_voltage_v(const VoltageCurve& c, double power_ratio) {
  const double wanted = power_ratio * nominal_product(c);
  const auto product = [&](double volts) { return volts * std::pow(volts - c.threshold_voltage_v, 2); };
  double low = c.threshold_voltage_v, high = c.nominal_voltage_v;
  // The nominal voltage is not an upper limit: a generous budget of power goes beyond it.
  while (product(high) < wanted) high *= 2;
  // The product only grows above Vt: halving finds the one root there to the last bit, and the same one everywhere.
  for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    (product(middle) < wanted ? low : high) = middle;
  }
  return high;
}

double operating_frequency_ghz(const VoltageCurve& c, double power_ratio) {
  if (power_ratio <= 0) return 0;
  const double volts = operating_voltage_v(c, power_ratio);
  const double least = c.threshold_voltage_v + c.margin_v;
  const double frequency = c.nominal_frequency_ghz * speed_at(c, volts) / speed_at(c, c.nominal_voltage_v);
  // Below the margin voltage stays at its least, and frequency gives way instead.
  return volts < least ? frequency * std::pow(volts / least, 2) : frequency;
}

std::optional<Violation> find_budget_violation(const ChipBudget& b) {
  const std::array shares = {b.core.share, b.registers.share, b.l1.share, b.l2.share, b.dram.share, b.network.share};
  double area = 0, power = 0;
  for (const BudgetShare& share : shares) area += share.area_share, power += share.power_share;
  if (area > kMostShares)
    return Violation{"budgets", "gives away more than all of its area", "the area_shares must not exceed 1 in sum"};
  if (power > kMostShares)
    return Violation{"budgets", "gives away more than all of its power", "the power_shares must not exceed 1 in sum"};
  if (!b.core.flop_per_cycle[DataType::bf16]) return Violation{"budgets.core.flop_per_cycle", "has no figure for bf16"};
  if (auto found = find_curve_violation(b.core.voltage, "budgets.core.voltage")) return found;
  if (auto found = find_curve_violation(b.dram.voltage, "budgets.dram.voltage")) return found;
  if (compute_units(b) < 1) return Violation{"budgets.core", "has no area for the matrix units of one compute unit"};
  if (auto found = find_sram_violation(b, b.registers, "budgets.registers")) return found;
  if (auto found = find_sram_violation(b, b.l1, "budgets.l1")) return found;
  if (auto found = find_sram_violation(b, b.l2, "budgets.l2")) return found;
  if (stacks_of(b) < 1) return Violation{"budgets.dram", "has no area for a stack"};
  if (memory_links(b) < 1) return Violation{"budgets.dram", "has no link"};
  if (network_gb_per_s(b) <= 0) return Violation{"budgets.network", "has no area for a link"};
  return std::nullopt;
}

ChipRates rates_of(const ChipBudget& b) {
  ChipRates rates;
  const double ratio = core_power_ratio(b);
  rates.core_voltage_v = std::max(operating_voltage_v(b.core.voltage, ratio),
                                  b.core.voltage.threshold_voltage_v + b.core.voltage.margin_v);
  rates.core_frequency_ghz = operating_frequency_ghz(b.core.voltage, ratio);
  const double units = compute_units(b);
  rates.compute_unit_count = static_cast<std::int64_t>(units);
  const double cycles = units * rates.core_frequency_ghz * 1e9;
  for (std::size_t i = 0; i < kDataTypeNames.size(); ++i) {
    const auto type = static_cast<DataType>(i);
    if (const auto flop = b.core.flop_per_cycle[type]) {
      const double computed = cycles * static_cast<double>(b.core.units_per_compute_unit) * *flop;
      // Either the units or what feeds them is the limit.
      rates.matrix_peak_tflops[type] = std::min(computed, fed_flops(b, type)) * 1e-12;
    }
    if (const auto flop = b.core.vector_flop_per_cycle[type]) rates.vector_peak_tflops[type] = cycles * *flop * 1e-12;
  }
  const double links = memory_links(b);
  const double link_gbit_per_s =
      // A link moves one bit per cycle, so that gigahertz are gigabits per second.
      operating_frequency_ghz(b.dram.voltage, power_of(b, b.dram.share) / (links * b.dram.link_power_w));
  rates.memory = {.name = "DRAM",
                  .capacity_gb = stacks_of(b) * b.dram.stack_gb,
                  .bandwidth_gb_per_s = links * link_gbit_per_s / kBitsPerByte};
  rates.cache = {.name = "L2",
                 .capacity_gb = banks_of(b, b.l2) * b.l2.bank_kb * 1e-6,
                 .bandwidth_gb_per_s = bytes_per_s(b, b.l2) * 1e-9};
  rates.scale_up_gb_per_s = network_gb_per_s(b);
  rates.scale_up_devices = b.network.devices;
  return rates;
}

}  // namespace orrery::machine

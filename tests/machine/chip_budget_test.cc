#include "machine/device/chip_budget.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "machine/device/device_yaml.h"

using namespace orrery::machine;

namespace {

const VoltageCurve kCurve{
    .nominal_voltage_v = 0.8, .threshold_voltage_v = 0.3, .margin_v = 0.1, .nominal_frequency_ghz = 2};

/// Round numbers: 100 mm2 and 10 W for everything but the die's edge.
ChipBudget round_budget() {
  const BudgetShare tenth{.area_share = 0.1, .power_share = 0.1};
  ChipBudget budget;
  budget.area_mm2 = 1000;
  budget.power_w = 100;
  budget.core = {.share = tenth,
                 .unit_area_mm2 = 1,
                 .unit_power_w = 0.1,
                 .units_per_compute_unit = 4,
                 .unit_rows = 8,
                 .unit_columns = 4,
                 .voltage = kCurve};
  budget.core.flop_per_cycle[DataType::bf16] = 1000;
  budget.core.vector_flop_per_cycle[DataType::fp32] = 100;
  // 10 W at 0.01 pJ per byte: 1000 TB/s, more than anything asks for.
  budget.registers = budget.l1 = {.share = tenth, .bank_area_mm2 = 1, .bank_kb = 100, .energy_pj_per_byte = 0.01};
  budget.l1_tile_edge = 64;
  budget.l2 = {.share = tenth,
               .bank_area_mm2 = 0.5,
               .bank_kb = 500,
               .bank_leakage_w = 0.01,
               .controller_area_mm2 = 1,
               .energy_pj_per_byte = 1};
  budget.dram = {.share = tenth,
                 .stack_area_mm2 = 30,
                 .stack_gb = 16,
                 .links_per_stack = 1000,
                 .links_per_mm = 20,
                 .link_power_w = 0.005,
                 .voltage = kCurve};
  budget.network = {.share = tenth, .link_area_mm2 = 10, .link_gb_per_s = 25, .energy_pj_per_byte = 100, .devices = 8};
  return budget;
}

double cubic(const VoltageCurve& c, double v, double ratio) {
  const double vt = c.threshold_voltage_v, vn = c.nominal_voltage_v;
  return v * v * v - 2 * vt * v * v + vt * vt * v - ratio * vn * (vn - vt) * (vn - vt);
}

}  // namespace

TEST_CASE("the voltage is the root of the cubic; at the nominal power it is the nominal one") {
  CHECK(operating_voltage_v(kCurve, 1) == doctest::Approx(0.8).epsilon(1e-12));
  CHECK(operating_frequency_ghz(kCurve, 1) == doctest::Approx(2).epsilon(1e-12));
  // 0.6 V by hand: 0.6 x 0.3^2 = 0.054 of 0.8 x 0.5^2 = 0.2; and the frequency 2 x (0.09 / 0.6) / (0.25 / 0.8).
  CHECK(operating_voltage_v(kCurve, 0.27) == doctest::Approx(0.6).epsilon(1e-12));
  CHECK(operating_frequency_ghz(kCurve, 0.27) == doctest::Approx(0.96).epsilon(1e-12));
  CHECK(operating_voltage_v(kCurve, 0) == doctest::Approx(0.3));
  CHECK(operating_frequency_ghz(kCurve, 0) == 0);
  CHECK(rc::check("for any power", [] {
    const double ratio = static_cast<double>(*rc::gen::inRange(1, 100000)) / 1000;
    const double volts = operating_voltage_v(kCurve, ratio);
    RC_ASSERT(volts >= kCurve.threshold_voltage_v);
    RC_ASSERT(std::abs(cubic(kCurve, volts, ratio)) < 1e-9 * (1 + ratio));
  }));
}

TEST_CASE("below the least voltage, frequency falls with the power, and draws just that") {
  // 0.35 V by hand: 0.35 x 0.05^2 / 0.2; the chip runs at 0.4 V, f V^2 being the same.
  const double ratio = 0.35 * 0.0025 / 0.2;
  const double unclamped = 2 * (0.0025 / 0.35) / (0.25 / 0.8);
  CHECK(operating_frequency_ghz(kCurve, ratio) ==
        doctest::Approx(unclamped * (0.35 / 0.4) * (0.35 / 0.4)).epsilon(1e-9));
  CHECK(operating_frequency_ghz(kCurve, ratio / 2) ==
        doctest::Approx(operating_frequency_ghz(kCurve, ratio) / 2).epsilon(1e-9));
}

TEST_CASE("rates follow from budgets as by hand") {
  const ChipBudget budget = round_budget();
  REQUIRE_FALSE(find_budget_violation(budget));
  const ChipRates rates = rates_of(budget);
  CHECK(rates.compute_unit_count == 25);  // 100 mm2 / 1 mm2 / 4
  CHECK(rates.core_voltage_v == doctest::Approx(0.8));
  // 100 units of 0.1 W have their nominal 10 W: 2 GHz x 100 x 1000 flop.
  CHECK(*rates.matrix_peak_tflops[DataType::bf16] == doctest::Approx(200));
  CHECK(*rates.vector_peak_tflops[DataType::fp32] == doctest::Approx(5));
  CHECK_FALSE(rates.matrix_peak_tflops[DataType::fp8]);
  // 3 stacks of 1000 links against 4 x 30 mm of edge with 20 each: 2400 links, whose 12 W are more than the 10 W there
  // are.
  CHECK(rates.memory.capacity_gb == 48);
  CHECK(*rates.memory.bandwidth_gb_per_s == doctest::Approx(2400 * operating_frequency_ghz(kCurve, 10.0 / 12) / 8));
  // 75 mm2 beside the controllers of 25 units: 150 banks, which leak 1.5 of 10 W.
  CHECK(rates.cache.capacity_gb == doctest::Approx(0.075));
  CHECK(*rates.cache.bandwidth_gb_per_s == doctest::Approx(8500));
  CHECK(rates.scale_up_gb_per_s == doctest::Approx(100));  // 10 links could carry 250, 10 W pay for 100
}

TEST_CASE("matrix units wait for registers and L1") {
  ChipBudget budget = round_budget();
  budget.registers.energy_pj_per_byte = 1;  // 10 TB/s; an 8 x 4 unit reads 24 bytes per 64 flop
  CHECK(*rates_of(budget).matrix_peak_tflops[DataType::bf16] == doctest::Approx(10.0 * 64 / 24));
  budget = round_budget();
  budget.l1.energy_pj_per_byte = 5;  // 2 TB/s; a tile of 64 reads 2 bytes per 64 flop
  CHECK(*rates_of(budget).matrix_peak_tflops[DataType::bf16] == doctest::Approx(64));
}

TEST_CASE("more power never gives less of anything") {
  CHECK(rc::check("for any two budgets", [] {
    ChipBudget less = round_budget();
    less.power_w = static_cast<double>(*rc::gen::inRange(20, 2000));
    ChipBudget more = less;
    more.power_w += static_cast<double>(*rc::gen::inRange(1, 500));
    const ChipRates a = rates_of(less), b = rates_of(more);
    RC_ASSERT(*b.matrix_peak_tflops[DataType::bf16] >= *a.matrix_peak_tflops[DataType::bf16]);
    RC_ASSERT(*b.memory.bandwidth_gb_per_s >= *a.memory.bandwidth_gb_per_s);
    RC_ASSERT(*b.cache.bandwidth_gb_per_s >= *a.cache.bandwidth_gb_per_s);
    RC_ASSERT(b.scale_up_gb_per_s >= a.scale_up_gb_per_s);
  }));
}

TEST_CASE("a budget that does not pay for a part is told by its field") {
  const auto field = [](auto&& change) {
    ChipBudget budget = round_budget();
    change(budget);
    const auto found = find_budget_violation(budget);
    return found ? found->field : std::string();
  };
  CHECK(field([](ChipBudget&) {}).empty());
  CHECK(field([](ChipBudget& b) { b.core.share.area_share = 0.6; }) == "budgets");
  CHECK(field([](ChipBudget& b) { b.l2.share.power_share = 0.6; }) == "budgets");
  CHECK(field([](ChipBudget& b) { b.core.unit_area_mm2 = 30; }) == "budgets.core");
  CHECK(field([](ChipBudget& b) { b.l2.controller_area_mm2 = 4; }) == "budgets.l2");
  CHECK(field([](ChipBudget& b) { b.l1.bank_leakage_w = 1; }) == "budgets.l1");
  CHECK(field([](ChipBudget& b) { b.dram.stack_area_mm2 = 101; }) == "budgets.dram");
  CHECK(field([](ChipBudget& b) { b.network.link_area_mm2 = 101; }) == "budgets.network");
  CHECK(field([](ChipBudget& b) { b.dram.voltage.threshold_voltage_v = 0.8; }) ==
        "budgets.dram.voltage.threshold_voltage_v");
  CHECK(field([](ChipBudget& b) { b.core.flop_per_cycle = {}; }) == "budgets.core.flop_per_cycle");
}

TEST_CASE("the shipped example is read with the rates that follow, and rates beside budgets are refused") {
  const std::string path = std::string(ORRERY_SOURCE_DIR) + "/data/devices/example_budgets.yaml";
  const auto device = read_device(path);
  REQUIRE_MESSAGE(device.ok(), (device ? "" : device.error().to_string()));
  CHECK(device->compute_unit_count == 132);
  CHECK(device->peak_flops(DataType::bf16) == doctest::Approx(989e12).epsilon(0.01));
  CHECK(device->memory_bytes_per_s() == doctest::Approx(3.35e12).epsilon(0.01));
  CHECK(device->cache_bytes() == doctest::Approx(50e6).epsilon(0.1));
  const std::string text = to_yaml(*device, [](const std::string&) { return std::string(); });
  const auto again = parse_device(text, "again.yaml");
  REQUIRE_MESSAGE(again.ok(), (again ? "" : again.error().to_string()));
  CHECK(again->budgets == device->budgets);
  CHECK(again->memory == device->memory);
  const auto both = parse_device(text + "compute_unit_count: 3\n", "both.yaml");
  REQUIRE_FALSE(both);
  CHECK(both.error().to_string().find("unknown key 'compute_unit_count'") != std::string::npos);
}

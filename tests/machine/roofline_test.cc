#include "machine/device/roofline.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>

using namespace orrery;
using namespace orrery::machine;

namespace {

Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.devices.matrix_peak_tflops[DataType::bf16] = 100;
  machine.devices.vector_peak_tflops[DataType::bf16] = 10;
  machine.devices.vector_peak_tflops[DataType::fp64] = 1;
  machine.devices.launch_latency_us = 2.5;
  machine.devices.memory = {{.name = "hbm", .capacity_gb = 80, .bandwidth_gb_per_s = 2000},
                            {.name = "l2", .capacity_gb = 0.05}};
  return machine;
}

}  // namespace

TEST_CASE("the ceiling that takes longest is the time") {
  const std::array<Ceiling, 3> ceilings = {Ceiling{1'000, 1e9}, Ceiling{4'000, 2e9},
                                           Ceiling{500, 1e9}};  // 1 us, 2 us, 0.5 us
  CHECK(roofline_time(ceilings) == 2 * kPsPerUs);
  CHECK(roofline_time(std::span(ceilings).first(1)) == kPsPerUs);
  CHECK(roofline_time({}) == 0);
}

TEST_CASE("times are rounded to the nearest picosecond") {
  CHECK(time_under({1, 3e12}) == 0);
  CHECK(time_under({2, 3e12}) == 1);
  CHECK(time_under({1, 2e12}) == 1);  // half away from zero
}

TEST_CASE("what never ends has no time, and nothing takes none even at no rate") {
  CHECK_FALSE(time_under({1, 0}));
  CHECK_FALSE(time_under({std::int64_t{1} << 62, 1}));
  CHECK(time_under({0, 0}) == 0);
  const std::array<Ceiling, 2> ceilings = {Ceiling{1, 1e12}, Ceiling{1, 0}};
  CHECK_FALSE(roofline_time(ceilings));
}

TEST_CASE("more work, or less of a rate, never takes less time") {
  CHECK(rc::check([] {
    const auto amount = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    const auto more = amount + *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
    const auto rate = static_cast<double>(*rc::gen::inRange<std::int64_t>(1'000'000'000, 1'000'000'000'000));
    RC_ASSERT(*time_under({amount, rate}) <= *time_under({more, rate}));
    RC_ASSERT(*time_under({amount, rate}) <= *time_under({amount, rate / 2}));
  }));
}

TEST_CASE("the matrix units' rate comes before the vector units', and the outermost memory must have one") {
  Machine machine = small_machine();
  const auto rates = device_rates(machine, DataType::bf16);
  REQUIRE(rates.ok());
  CHECK(rates->operations_per_second == 100e12);
  CHECK(rates->level_bytes_per_second == std::vector<double>{2000e9, 0});
  CHECK(rates->launch_latency_ps == 2'500'000);
  CHECK(device_rates(machine, DataType::fp64)->operations_per_second == 1e12);
  CHECK(device_rates(machine, DataType::fp8).error().message == "the machine 'small' has no peak rate for fp8");
  machine.devices.memory[0].bandwidth_gb_per_s.reset();
  CHECK(device_rates(machine, DataType::bf16).error().message == "the machine 'small' has no memory bandwidth");
  machine.devices.memory.clear();
  CHECK(device_rates(machine, DataType::bf16).error().message == "the machine 'small' has no memory bandwidth");
}

TEST_CASE("ASTRA-sim's arithmetic is the same formula up to rounding") {
  CHECK(astra_roofline_ns(0, 8, 100, 1) == 0);
  CHECK(astra_roofline_ns(1'000'000, 1, 100, 1) == doctest::Approx(1'000));   // at the peak: 1e6 / 1e12 s
  CHECK(astra_roofline_ns(1, 1'000'000, 100, 1) == doctest::Approx(10'000));  // at the memory's rate: 1e6 / 1e11 s
  CHECK_FALSE(std::isfinite(astra_roofline_ns(1, 1, 0, 1)));
  CHECK(rc::check([] {
    const auto operations = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 40),
               bytes = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 40);
    const std::array<Ceiling, 2> ceilings = {Ceiling{operations, 3e12}, Ceiling{bytes, 5e11}};
    const double ns = static_cast<double>(*roofline_time(ceilings)) / static_cast<double>(kPsPerNs);
    RC_ASSERT(std::abs(astra_roofline_ns(operations, bytes, 500, 3) - ns) <= 1e-3 + ns * 1e-12);
  }));
}

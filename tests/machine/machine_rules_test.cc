#include "machine/yaml/machine_rules.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using orrery::machine::DataType;
using orrery::machine::Dimension;
using orrery::machine::find_violation;
using orrery::machine::Machine;
using orrery::machine::Topology;

namespace {

Machine two_by_four() {
  Machine machine{.name = "pair of nodes", .devices = {.count = 8, .name = "chip"}};
  machine.devices.matrix_peak_tflops[DataType::bf16] = 100;
  machine.devices.memory = {{.name = "HBM", .capacity_gb = 32, .bandwidth_gb_per_s = 1000}};
  machine.network = {
      {.name = "inside", .topology = Topology::fully_connected, .size = 4, .bandwidth_gb_per_s = 50},
      {.name = "between", .topology = Topology::switched, .size = 2, .bandwidth_gb_per_s = 12.5, .latency_ns = 900}};
  return machine;
}

std::string violation_after(auto&& damage) {
  Machine machine = two_by_four();
  damage(machine);
  const auto violation = find_violation(machine);
  return violation ? violation->field + " " + violation->message : std::string();
}

}  // namespace

TEST_CASE("a sound machine has no violation") {
  CHECK_FALSE(find_violation(two_by_four()));
  CHECK_FALSE(find_violation(Machine{.name = "one chip", .devices = {.count = 1, .name = "chip"}}));
}

TEST_CASE("numbers must be in range") {
  CHECK(violation_after([](Machine& m) { m.network[1].bandwidth_gb_per_s = 0; }) ==
        "network[1].bandwidth_gb_per_s must be more than 0 and at most 1000000000, and is 0");
  CHECK(violation_after([](Machine& m) {
          m.network[0].latency_ns = -1;
        }).starts_with("network[0].latency_ns must be at least 0"));
  CHECK(violation_after([](Machine& m) {
          m.devices.memory[0].capacity_gb = std::nan("");
        }).starts_with("devices.memory[0].capacity_gb must be"));
  CHECK(violation_after([](Machine& m) {
          m.devices.matrix_peak_tflops[DataType::fp8] = -5;
        }).starts_with("devices.matrix_peak_tflops.fp8 must be"));
  CHECK(violation_after([](Machine& m) {
          m.devices.launch_latency_us = std::numeric_limits<double>::infinity();
        }).starts_with("devices.launch_latency_us"));
  CHECK(violation_after([](Machine& m) {
          m.devices.compute_unit_count = 0;
        }).starts_with("devices.compute_unit_count must be at least 1"));
  CHECK(violation_after([](Machine& m) { m.network[0].size = 1; }).starts_with("network[0].size must be at least 2"));
}

TEST_CASE("names must be printable text") {
  CHECK(violation_after([](Machine& m) { m.name = ""; }) == "name must not be empty");
  CHECK(violation_after([](Machine& m) {
          m.devices.name = "a\nb";
        }).starts_with("devices.name holds a control character"));
  CHECK(violation_after([](Machine& m) { m.network[0].name = "\xff"; }).starts_with("network[0].name holds"));
  CHECK(violation_after([](Machine& m) { m.name = std::string(201, 'x'); }) == "name is longer than 200 bytes");
}

TEST_CASE("the network has a place for every device") {
  CHECK(violation_after([](Machine& m) { m.devices.count = 7; }) ==
        "network has places for 8 devices, but devices.count is 7");
  CHECK(violation_after([](Machine& m) { m.network.clear(); }) ==
        "network has places for 1 devices, but devices.count is 8");
  const std::string huge = violation_after(
      [](Machine& m) { m.network.assign(16, Dimension{.name = "d", .size = 1 << 20, .bandwidth_gb_per_s = 1}); });
  CHECK(huge.starts_with("network has places for "));
}

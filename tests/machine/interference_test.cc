#include "machine/device/interference.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "machine/device/device_yaml.h"
#include "machine/device/tile_rounds.h"
#include "machine/device_support.h"

using namespace orrery::machine;

namespace {

Device h200() {
  auto device = read_device(std::string(ORRERY_SOURCE_DIR) + "/data/devices/h200.yaml");
  REQUIRE(device.ok());
  return *device;
}

double beside_blocks(const GemmShape& shape, double blocks) {
  static const Device device = h200();
  return product_slowdown(device, shape, {.units = blocks});
}

}  // namespace

TEST_CASE("blocks leave the pairs of units that they were seen to leave on an H200") {
  const std::vector<std::pair<std::int64_t, std::int64_t>> seen = {
      {0, 66},  {1, 65},  {2, 64},  {3, 63},  {4, 62},  {6, 62},  {8, 62},  {10, 60}, {12, 58},
      {16, 54}, {20, 54}, {24, 54}, {28, 50}, {32, 46}, {40, 46}, {56, 37}, {64, 32}};
  for (const auto& [blocks, pairs] : seen) CHECK_MESSAGE(free_pairs(132, blocks) == pairs, blocks);
  CHECK(free_pairs(132, 132) == 0);
  CHECK(free_pairs(132, 500) == 0);
  CHECK(free_pairs(1, 0) == 0);
}

TEST_CASE("clusters that come too late add rounds") {
  const TilePlan four{.is_clustered = true, .parts = 256, .slots = 66};
  CHECK(four.rounds() == 4);
  CHECK(rounds_beside(four, 66) == 4);
  CHECK(rounds_beside(four, 64) == 5);
  CHECK(rounds_beside(four, 63) == 6);
  CHECK(rounds_beside(four, 50) == 6);
  CHECK(rounds_beside(four, 46) == 7);
  CHECK(rounds_beside(four, 32) == 9);
  // One round is as many as there is room for.
  const TilePlan one{.is_clustered = true, .parts = 64, .slots = 66};
  CHECK(rounds_beside(one, 64) == 1);
  CHECK(rounds_beside(one, 63) == 2);
  CHECK(rounds_beside(one, 31) == 3);
  // Just over one: those with a single tile make room for a few.
  const TilePlan two{.is_clustered = true, .parts = 128, .slots = 66};
  CHECK(rounds_beside(two, 65) == 2);
  CHECK(rounds_beside(two, 64) == 3);
  CHECK(rounds_beside(two, 62) == 4);
  CHECK(rounds_beside(two, 32) == 5);
  // A block per tile: nobody waits for whole clusters.
  const TilePlan plain{.parts = 512, .slots = 132};
  CHECK(rounds_beside(plain, 128) == 4);
  CHECK(rounds_beside(plain, 126) == 5);
  CHECK(rounds_beside(plain, 0) == 512);
}

TEST_CASE("fewer pairs never take fewer rounds") {
  for (std::int64_t parts = 1; parts < 700; parts += 7) {
    const TilePlan plan{.is_clustered = true, .parts = parts, .slots = 66};
    for (std::int64_t slots = 1; slots < 66; ++slots)
      CHECK_MESSAGE(rounds_beside(plan, slots) >= rounds_beside(plan, slots + 1), parts << " on " << slots);
  }
}

TEST_CASE("a product that just fills the device loses a whole round to four blocks") {
  for (const double size : {1024.0, 2048.0}) {
    const GemmShape shape{.m = size, .n = size, .k = size};
    CHECK(beside_blocks(shape, 2) == doctest::Approx(1));
    CHECK(beside_blocks(shape, 4) > 1.6);
    CHECK(beside_blocks(shape, 4) < 2);
  }
  CHECK(beside_blocks({.m = 4096, .n = 1408, .k = 2048}, 8) == doctest::Approx(1));
  CHECK(beside_blocks({.m = 4096, .n = 1408, .k = 2048}, 16) > 1.8);
  // Outside of the matrix units nothing is clustered.
  const GemmShape simt{.m = 4096, .n = 4096, .k = 1024, .type = DataType::fp32};
  CHECK(beside_blocks(simt, 4) == doctest::Approx(1));
  CHECK(beside_blocks(simt, 8) == doctest::Approx(1.25).epsilon(0.01));
}

TEST_CASE("a product never gets faster, whatever runs beside it") {
  const Device device = h200();
  for (const double m : {1.0, 16.0, 100.0, 5000.0, 200'000.0}) {
    for (const double n : {64.0, 1000.0, 12'288.0}) {
      for (const double blocks : {0.0, 1.0, 20.0, 131.0, 1000.0}) {
        for (const double rate : {0.0, 55.0, 3000.0}) {
          const double ratio = product_slowdown(device, {.m = m, .n = n, .k = 4096}, {blocks, rate});
          CHECK(ratio >= 1);
          CHECK(ratio < 1000);
        }
      }
    }
  }
}

TEST_CASE("kernels lose what they are bound by") {
  const Device device = round_device();  // 100 units, 1,000 GB/s
  CHECK(slowdown(device, {.by_units = 1}, {.units = 20}) == doctest::Approx(1.25));
  CHECK(slowdown(device, {.by_units = 0.5}, {.units = 20}) == doctest::Approx(1.125));
  CHECK(slowdown(device, {.by_memory = 0.6}, {.units = 20, .gb_per_s = 500}) == doctest::Approx(1.3));
  CHECK(slowdown(device, kStreamBeside, {.units = 20}) == 1);
  CHECK(slowdown(device, kAttentionBeside, {}) == 1);
  // One unit is always left.
  CHECK(slowdown(device, {.by_units = 1}, {.units = 1000}) == doctest::Approx(100));
}

TEST_CASE("an exchange between experts costs computing the units that it keeps") {
  CHECK(slowdown_beside_exchanges(h200(), kForwardingUnits) == doctest::Approx(132.0 / 112));
  CHECK(slowdown_beside_exchanges(h200(), kAllToAllUnits) == doctest::Approx(132.0 / 100));
  Device device = round_device();
  device.scale_up_gb_per_s = 500;  // both ways as much as the memory has
  CHECK(slowdown_beside_exchanges(device, kForwardingUnits) == doctest::Approx(1.6));
}

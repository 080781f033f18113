#include "machine/device/kernel_gemm.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>

#include "machine/device/device_yaml.h"
#include "machine/device_support.h"

using namespace orrery::machine;

namespace {

Device shipped(const std::string& name) {
  auto device = read_device(std::string(ORRERY_SOURCE_DIR) + "/data/devices/" + name + ".yaml");
  REQUIRE_MESSAGE(device.ok(), (device ? "" : device.error().to_string()));
  return *device;
}

}  // namespace

TEST_CASE("a product that is all arithmetic takes its operations over the peak rate") {
  // 2560 x 2560 are 400 tiles of 128 x 128, or 200 of 128 x 256: two or four full waves of 100 units, without a rest.
  const Device device = round_device();
  const double k = 1 << 20;  // so long that the memory hardly counts
  const double flop = 2.0 * 2560 * 2560 * k;
  const double seconds = gemm_seconds(device, {.m = 2560, .n = 2560, .k = k}, {.power_throttled = false});
  CHECK(seconds >= flop / 100e12);
  CHECK(seconds < flop / 100e12 * 1.01);
}

TEST_CASE("a product that is all memory takes its bytes over the bandwidth") {
  const Device device = round_device();
  // One row against a large matrix: B's bytes, with 2 flop for each 2 of them.
  const double n = 65536, k = 8192;
  const double bytes = 2 * (n * k + k + n);
  const double seconds = gemm_seconds(device, {.m = 1, .n = n, .k = k}, {});
  CHECK(seconds >= bytes / 1e12);
  CHECK(seconds < bytes / 1e12 * 1.05);
}

TEST_CASE("floor, cold cache and power are added as the run says") {
  Device device = round_device();
  const GemmShape shape{.m = 4096, .n = 4096, .k = 4096};
  const double plain = gemm_seconds(device, shape, {});
  CHECK(gemm_seconds(device, shape, in_stream(device)) == doctest::Approx(plain + 3e-6).epsilon(1e-12));
  device.gemm.dirty_share = 1;
  device.gemm.dirty_limit_mb = 1000;
  CHECK(gemm_seconds(device, shape, {.cold_cache = true}) > plain);
  device.gemm.throttle_per_e_fold = 0.1;
  device.gemm.throttle_from_gflop = 1;
  CHECK(gemm_seconds(device, shape, {}) > plain * 1.3);  // 2^37 flop are nearly five e-folds; four are the most
  CHECK(gemm_seconds(device, shape, {}) < plain * 1.4 + 1e-9);
  CHECK(gemm_seconds(device, shape, {.power_throttled = false}) == plain);
}

TEST_CASE("a product and its transpose take the same time, and half the clock twice the arithmetic") {
  const Device device = shipped("h200");
  rc::check([&] {
    const double m = *rc::gen::inRange(1, 20000), n = *rc::gen::inRange(1, 20000), k = *rc::gen::inRange(1, 20000);
    RC_ASSERT(gemm_seconds(device, {.m = m, .n = n, .k = k}, {}) == gemm_seconds(device, {.m = n, .n = m, .k = k}, {}));
    RC_ASSERT(gemm_seconds(device, {.m = m, .n = n, .k = k}, {.clock_share = 0.5}) >=
              gemm_seconds(device, {.m = m, .n = n, .k = k}, {}));
  });
}

TEST_CASE("more work never takes less time, of every shipped device") {
  for (const char* name : {"h200", "a100_80", "mi210", "gb200", "v100"}) {
    const Device device = shipped(name);
    rc::check(std::string("monotone in batch and k: ") + name, [&] {
      const double m = *rc::gen::inRange(1, 9000), n = *rc::gen::inRange(1, 9000), k = *rc::gen::inRange(1, 9000),
                   b = *rc::gen::inRange(1, 40);
      const double seconds = gemm_seconds(device, {.m = m, .n = n, .k = k, .batch = b}, {});
      RC_ASSERT(std::isfinite(seconds) && seconds > 0);
      RC_ASSERT(gemm_seconds(device, {.m = m, .n = n, .k = k, .batch = b + 1}, {}) >= seconds * (1 - 1e-12));
      // Splitting k becomes possible at certain lengths, so that a little more k may pay off a little; never much more.
      RC_ASSERT(gemm_seconds(device, {.m = m, .n = n, .k = 2 * k, .batch = b}, {}) >= seconds * 0.95);
    });
  }
}

TEST_CASE("a little more work takes a little more time: no jumps but those of a wave") {
  const Device device = shipped("h200");
  for (double n = 512; n < 16384; n += 64) {
    const double here = gemm_seconds(device, {.m = 4096, .n = n, .k = 4096}, in_stream(device));
    const double next = gemm_seconds(device, {.m = 4096, .n = n + 64, .k = 4096}, in_stream(device));
    CHECK(next < here * 1.35);
    CHECK(next > here * 0.93);
  }
}

TEST_CASE("formats have their sizes") {
  CHECK(bytes_of(DataType::fp64) == 8);
  CHECK(bytes_of(DataType::tf32) == 4);
  CHECK(bytes_of(DataType::bf16) == 2);
  CHECK(bytes_of(DataType::int8) == 1);
  CHECK(bytes_of(DataType::fp4) == 0.5);
}

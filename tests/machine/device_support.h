// A device with round numbers, for kernels that can be priced by hand.
#pragma once

#include "machine/device/device.h"

namespace orrery::machine {

inline Device round_device() {
  Device device;
  device.name = "round";
  device.compute_unit_count = 100;
  device.matrix_peak_tflops[DataType::bf16] = 100;  // 1 TFLOP/s per unit
  device.matrix_peak_tflops[DataType::fp8] = 200;
  device.memory = {.name = "HBM", .capacity_gb = 80, .bandwidth_gb_per_s = 1000};
  device.cache = {.name = "L2", .capacity_gb = 0.04, .bandwidth_gb_per_s = 1e6};
  device.gemm = {.wave_share = 1,
                 .tile_efficiency = 1,
                 .memory_share = 1,
                 .event_floor_us = 5,
                 .stream_floor_us = 3,
                 .split_us = 1e6};
  device.attention = {.forward_share = 0.5,
                      .forward_half_sequence = 128,
                      .backward_share = 0.5,
                      .backward_half_sequence = 128,
                      .narrow_head_forward = 0.5,
                      .narrow_head_backward = 0.5};
  device.elementwise.add = 0.5;
  return device;
}

}  // namespace orrery::machine

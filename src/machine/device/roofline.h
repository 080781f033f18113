// The roofline (Williams, Waterman, Patterson: "Roofline: an insightful visual performance model for multicore
// architectures", CACM 52(4), 2009): work of W operations that moves Q_i bytes through level i of the memory takes, on
// a device that overlaps all of it,
//
//     t = latency + max(W / peak rate, Q_1 / bandwidth_1, Q_2 / bandwidth_2, ...)
//
// Each quotient is one ceiling; the largest binds. The one formula for the engine, and for models that make up work
// instead of reading it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"

namespace orrery::machine {

/// How much of something the work needs, and how much of it the device gives per second: operations, or bytes of a
/// memory level.
struct Ceiling {
  std::int64_t amount = 0;  ///< not negative; of nothing there is never too little
  double per_second = 0;
};

/// Longer than any roofline time: 26 days.
inline constexpr TimePs kMaxRooflinePs = TimePs{1} << 61;

/// Picoseconds to the nearest; none if that is more than kMaxRooflinePs, as with a rate of 0.
std::optional<TimePs> time_under(const Ceiling& ceiling);

/// The longest of all ceilings; 0 without any. The caller adds the latency of the launch, which is there whatever
/// binds.
std::optional<TimePs> roofline_time(std::span<const Ceiling> ceilings);

/// The rates of a device for work in one number format.
struct DeviceRates {
  double operations_per_second =
      0;  ///< dense peak of the matrix units if it has any for the format, else of the vector units
  std::vector<double> level_bytes_per_second;  ///< as Devices::memory, from the outermost inwards; 0: not known
  TimePs launch_latency_ps = 0;
};

/// An Error names the rate that the machine lacks: that of the format, or the bandwidth of the outermost memory.
Result<DeviceRates> device_rates(const Machine& machine, DataType type);

/// The same formula as ASTRA-sim writes it, for results equal to its own: W / min(bandwidth * W / Q, peak) in doubles
/// of nanoseconds, which rounds differently. `bytes` must not be 0. Infinite, or not a number, where a rate is 0.
double astra_roofline_ns(std::int64_t operations, std::int64_t bytes, double memory_gb_per_s, double peak_tflops);

}  // namespace orrery::machine

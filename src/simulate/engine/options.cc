#include "simulate/engine/options.h"

#include <cmath>

namespace orrery::simulate {
namespace {

constexpr double kMostSlowdown = 1000;

}  // namespace

Status EngineOptions::check() const {
  const auto is_rate = [](double rate) { return std::isfinite(rate) && rate >= 0; };
  if (compute_slots == 0 || host_slots == 0 || memory_slots == 0)
    return Error{.message = "a device needs at least one slot of each kind"};
  if (!is_rate(operations_per_second) || !is_rate(memory_bytes_per_second))
    return Error{.message = "rates must be finite and not negative"};
  if (launch_latency_ps < 0 || eager_overhead_ps < 0)
    return Error{.message = "latencies and overheads must not be negative"};
  if (launch_latency_ps > kPsPerSecond || eager_overhead_ps > kPsPerSecond)
    return Error{.message = "latencies and overheads must be at most a second"};
  if (!(slowdown_beside_exchanges >= 1 && slowdown_beside_exchanges <= kMostSlowdown))
    return Error{.message = "computing beside an exchange takes between once and a thousand times as long"};
  if (compute_time == ComputeTime::roofline && (operations_per_second == 0 || memory_bytes_per_second == 0))
    return Error{.message = "a roofline needs the peak rate of the device and the bandwidth of its memory"};
  return {};
}

}  // namespace orrery::simulate

#include "mpi_plugin/replay_work.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace orrery::replay {

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Arithmetic::work(std::int64_t units) {
  // Stays between 0 and 2 for ever: no infinities, and nothing that is slow because it is tiny.
  constexpr std::int64_t kRounds = kOperationsPerUnit / 16;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (std::int64_t round = 0; round < kRounds; ++round) {
      for (double& value : values_) value = value * 0.5 + 0.75;
    }
    asm volatile("" : : "g"(values_) : "memory");  // the compiler may not see that nobody looks at them
  }
}

void Arithmetic::calibrate() {
  constexpr std::int64_t kUnits = 2000;
  constexpr int kTries = 9;
  std::int64_t best = INT64_MAX;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::int64_t before = monotonic_ns();
    work(kUnits);
    best = std::min(best, std::max<std::int64_t>(1, monotonic_ns() - before));
  }
  units_per_ns_ = static_cast<double>(kUnits) / static_cast<double>(best);
}

std::int64_t Arithmetic::units_in(std::int64_t ns) const {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(ns) * units_per_ns_));
}

}  // namespace orrery::replay

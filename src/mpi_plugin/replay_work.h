// Computation that takes a given time: real arithmetic, calibrated once.
#pragma once

#include <cstdint>

namespace orrery::replay {

/// Nanoseconds of the monotonic clock.
std::int64_t monotonic_ns();

class Arithmetic {
 public:
  static constexpr std::int64_t kOperationsPerUnit = 512;  ///< multiplications and additions
  /// How fast this core is when it is left alone: the best of several tries.
  void calibrate();
  [[nodiscard]] double flops_per_ns() const { return units_per_ns_ * kOperationsPerUnit; }
  /// How many units take so long; at least 1.
  [[nodiscard]] std::int64_t units_in(std::int64_t ns) const;
  void work(std::int64_t units);

 private:
  double units_per_ns_ = 0;
  double values_[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};

}  // namespace orrery::replay

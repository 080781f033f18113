// How far predictions from tables of kernels lie from what was measured.
#pragma once

#include <cmath>
#include <cstdint>

namespace orrery::machine {

/// Eight of ten new measurements lie between these ratios to the prediction, of times from here on.
struct TimeInterval {
  double from_us = 0;
  double low_ratio = 1, high_ratio = 1;
};

/// The interval where an error comes on top that has nothing to do with its own, up to those logarithms below and
/// above: their squares add up.
inline TimeInterval with_error(TimeInterval own, double below, double above) {
  own.low_ratio = std::exp(-std::hypot(std::log(own.low_ratio), below));
  own.high_ratio = std::exp(std::hypot(std::log(own.high_ratio), above));
  return own;
}

/// Mean absolute errors.
struct TableAccuracy {
  std::int64_t rows = 0;
  double formula_pct = 0;   ///< of the constants without the table
  double seen_pct = 0;      ///< of rows that the table was fitted to
  double held_out_pct = 0;  ///< of rows of groups that it had not seen
};

}  // namespace orrery::machine

// Fits the constants of a device to timings of its kernels (robust_fit.h, free_constants.h), and says what was learnt:
// how well each constant is determined, and how far off kernels are that the constants had not seen.
//
// The penalty is that of errors of 5 % around the model and of constants within 35 % of the base device's (one standard
// deviation of their logarithms): b / (2 tau^2 n) per unit squared with b = 0.05, tau = 0.3 and n rows. Few rows thus
// move little, many what they like.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/kernels/kernel_benchmark.h"

namespace orrery::llm {

/// Of one group of constants; fewer say nothing that could be checked.
inline constexpr std::size_t kFewestShapes = 3;
inline constexpr std::size_t kFolds = 5;
/// Ratios from which on their order gives an interval for eight of ten: of nine, a further one lies outside their range
/// with a chance of two in ten.
inline constexpr std::size_t kFewestForOrder = 9;

struct LearntConstant {
  std::string path;  ///< as in the description
  double before = 0, after = 0;
  /// By how much the mean error of the rows it is for grows, in points of percent, with ten percent more or less of it.
  /// Both small: the rows do not say.
  double with_more_pct = 0, with_less_pct = 0;
};

struct CalibratedRow {
  std::string kind;
  double measured_us = 0, before_us = 0, after_us = 0;
  std::optional<double> held_out_us = {};  ///< by constants that had not seen its shape; none where nothing was fitted
};

struct Calibration {
  machine::Device device;                      ///< with what was learnt, and an interval per kind that has enough rows
  std::vector<LearntConstant> constants = {};  ///< those that some row depends on
  std::vector<CalibratedRow> rows =
      {};                  ///< in the order of the table, without those that could not be used, which are counted
  std::size_t shapes = 0;  ///< that constants were fitted on

  /// Rows that constants were fitted on.
  [[nodiscard]] std::size_t timings() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const CalibratedRow& row) { return row.held_out_us.has_value(); }));
  }
};

/// An Error if no group has kFewestShapes measured shapes. The same result for any number of threads.
Result<Calibration> calibrate(const KernelDevice& base, const std::vector<KernelRow>& rows, Diagnostics& diagnostics);

/// Where a further measurement would lie eight times out of ten, always around 1. By the order of the ratios where
/// there are enough; of three to eight, as if their logarithms were normally distributed (Student's t); none for fewer.
std::optional<machine::KernelAccuracy> interval_of(std::string kind, std::vector<double> ratios);

}  // namespace orrery::llm

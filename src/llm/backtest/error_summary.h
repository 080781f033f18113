// How far predictions are from measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::llm {

struct ErrorSummary {
  std::size_t rows = 0;
  double mean_pct = 0;    ///< of the absolute errors
  double median_pct = 0;  ///< of the absolute errors
  double bias_pct = 0;    ///< mean of the signed errors
};

/// Of signed errors in percent; all 0 without any.
ErrorSummary summarise_errors(const std::vector<double>& errors_pct);

/// (predicted / measured - 1) in percent. `measured` must not be 0.
double error_pct(double predicted, double measured);

}  // namespace orrery::llm

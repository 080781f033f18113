#include "llm/measurements.h"

#include <cmath>

#include "base/statistics.h"

namespace orrery::llm {

double error_pct(double predicted, double measured) { return (predicted / measured - 1) * 100; }

ErrorSummary summarise_errors(const std::vector<double>& errors) {
  ErrorSummary summary{.rows = errors.size()};
  if (errors.empty()) return summary;
  std::vector<double> sizes;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
    summary.mean_pct += std::abs(error);
    summary.bias_pct += error;
  }
  const auto count = static_cast<double>(errors.size());
  summary.mean_pct /= count;
  summary.bias_pct /= count;
  summary.median_pct = median(sizes);
  return summary;
}

}  // namespace orrery::llm

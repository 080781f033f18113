#include "align/robust.h"

#include <algorithm>
#include <cmath>

namespace orrery::align {

double median(std::span<double> values) { return quantile(values, 0.5); }

double quantile(std::span<double> values, double q) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(std::floor(q * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double residual_scale(std::vector<double> sizes, std::size_t count, std::size_t unknowns, double otherwise) {
  if (count <= unknowns) return otherwise;
  const double fitted = static_cast<double>(unknowns), free = static_cast<double>(count - unknowns);
  // 1.4826: the standard deviation of a normal distribution over its median absolute deviation.
  return 1.4826 * quantile(sizes, (fitted + free / 2) / static_cast<double>(count));
}

}  // namespace orrery::align

#include "base/statistics.h"

#include <limits>

namespace orrery {

TimePs sorted_quantile(std::span<const TimePs> sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(below);
  return sorted[below] +
         static_cast<TimePs>(std::llround(static_cast<double>(sorted[below + 1] - sorted[below]) * part));
}

double sorted_quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place =
      std::clamp(static_cast<double>(sorted.size() - 1) * q, 0.0, static_cast<double>(sorted.size() - 1));
  const auto low = static_cast<std::size_t>(place);
  const double a = sorted[low], b = sorted[std::min(low + 1, sorted.size() - 1)], t = place - static_cast<double>(low);
  return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

}  // namespace orrery

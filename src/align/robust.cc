#include "align/robust.h"

#include "base/statistics.h"

namespace orrery::align {

double residual_scale(std::vector<double> sizes, std::size_t count, std::size_t unknowns, double otherwise) {
  if (count <= unknowns) return otherwise;
  const double fitted = static_cast<double>(unknowns), free = static_cast<double>(count - unknowns);
  return kDeviationOverMad * quantile(sizes, (fitted + free / 2) / static_cast<double>(count));
}

}  // namespace orrery::align

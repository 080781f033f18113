#include "simulate/models/oracle_model.h"

#include <algorithm>

namespace orrery::simulate {

Result<std::vector<Price>> OracleModel::estimate(std::span<const CommOp> ops) {
  std::vector<Price> prices;
  for (const CommOp& op : ops) {
    const Result<Price> price = oracle_(op);
    if (!price) return price.error();
    prices.push_back(*price);
  }
  return prices;
}

Status OracleModel::start(OpId id, const CommOp& op, TimePs now) {
  const auto known = known_ps_.find(id);
  const Result<Price> price = known == known_ps_.end() ? oracle_(op) : Price{known->second, 0, known->second};
  if (!price) return price.error();
  ends_.emplace(now + price->total_ps, id);
  return {};
}

void OracleModel::advance(TimePs now, std::vector<OpId>& finished) {
  const std::size_t first = finished.size();
  while (!ends_.empty() && ends_.top().first <= now) {
    finished.push_back(ends_.top().second);
    ends_.pop();
  }
  std::sort(finished.begin() + static_cast<std::ptrdiff_t>(first), finished.end());
}

}  // namespace orrery::simulate

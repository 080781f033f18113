#include "machine/warm/residual_table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery::machine {
namespace {

/// The knot at or below a coordinate that has one above it, and how far on the way there the coordinate is.
std::pair<std::size_t, double> bracket(const std::vector<double>& knots, double at) {
  if (knots.size() == 1 || at <= knots.front()) return {0, 0};
  if (at >= knots.back()) return {knots.size() - 2, 1};
  const auto above = std::upper_bound(knots.begin(), knots.end(), at);
  const auto low = static_cast<std::size_t>(above - knots.begin()) - 1;
  return {low, (at - knots[low]) / (knots[low + 1] - knots[low])};
}

}  // namespace

ResidualTable::ResidualTable(std::vector<TableAxis> axes) : axes_(std::move(axes)) {
  std::size_t values = 1;
  for (const TableAxis& axis : axes_) {
    values *= axis.sizes.size();
    std::vector<double>& knots = knots_.emplace_back();
    for (const double size : axis.sizes) knots.push_back(std::log(size));
  }
  values_.resize(values);
}

void ResidualTable::corners_at(std::span<const double> place, std::vector<Corner>& corners) const {
  corners.assign(1, {.knot = 0, .weight = 1});
  for (std::size_t axis = 0; axis < knots_.size(); ++axis) {
    const auto [low, share] = bracket(knots_[axis], place[axes_[axis].coordinate]);
    const std::size_t before = corners.size(), count = knots_[axis].size();
    for (std::size_t i = 0; i < before; ++i) {
      Corner& corner = corners[i];
      corner.knot = corner.knot * count + low;
      if (share <= 0) continue;
      const Corner above{.knot = corner.knot + 1, .weight = corner.weight * share};
      corner.weight *= 1 - share;
      corners.push_back(above);
    }
    // On a knot there is only that one: what has no weight need not be looked at on the next axis.
    std::erase_if(corners, [](const Corner& corner) { return corner.weight <= 0; });
  }
}

double ResidualTable::at(std::span<const double> place) const {
  if (axes_.empty()) return 0;
  thread_local std::vector<Corner> corners;
  corners_at(place, corners);
  double sum = 0;
  for (const Corner& corner : corners) sum += corner.weight * values_[corner.knot];
  return sum * kTableStep;
}

}  // namespace orrery::machine

#include "motif/motif.h"

#include <algorithm>
#include <cmath>

namespace orrery::motif {

const Site* Motif::find_site(std::uint32_t id) const {
  const auto found = std::lower_bound(sites.begin(), sites.end(), id,
                                      [](const Site& site, std::uint32_t wanted) { return site.id < wanted; });
  return found != sites.end() && found->id == id ? &*found : nullptr;
}

const Transition* Motif::find_transition(std::uint32_t from, std::uint32_t to) const {
  const auto before = [](const Transition& one, const std::pair<std::uint32_t, std::uint32_t>& wanted) {
    return std::pair(one.from, one.to) < wanted;
  };
  const auto found = std::lower_bound(transitions.begin(), transitions.end(), std::pair(from, to), before);
  return found != transitions.end() && found->from == from && found->to == to ? &*found : nullptr;
}

double bytes_of_call(const Site& site, const Scope& scope) {
  const double bytes = site.bytes.at(scope);
  if (site.level_weights.empty()) return bytes;
  // Levels count from 1; what lies beyond the measured ones is taken for the last.
  const double level = std::clamp(scope[Variable::level], 1.0, static_cast<double>(site.level_weights.size()));
  return bytes * site.level_weights[static_cast<std::size_t>(level) - 1];
}

std::uint64_t grid_rows(std::uint64_t ranks) {
  auto rows = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(ranks)));
  // The largest divisor up to the root: as square as it can be.
  while (rows > 1 && ranks % rows != 0) --rows;
  return std::max<std::uint64_t>(rows, 1);
}

bool is_member(Members members, std::uint64_t rank, std::uint64_t ranks) {
  const std::uint64_t rows = grid_rows(ranks), columns = ranks / rows;
  const std::uint64_t row = rank / columns, column = rank % columns;
  // How many of the four neighbours there are tells corners, edges and the inside apart.
  const int neighbours = (row > 0) + (row + 1 < rows) + (column > 0) + (column + 1 < columns);
  switch (members) {
    case Members::all:
    case Members::others: return true;
    case Members::diagonal: return row == column;
    case Members::off_diagonal: return row != column;
    case Members::first: return rank == 0;
    case Members::last: return rank + 1 == ranks;
    case Members::corner: return neighbours <= 2;
    case Members::edge: return neighbours == 3;
    case Members::interior: return neighbours == 4;
  }
  return false;
}

std::size_t class_of(const Motif& motif, std::uint64_t rank, std::uint64_t ranks) {
  for (std::size_t i = 0; i < motif.classes.size(); ++i) {
    // The first class that fits.
    if (is_member(motif.classes[i].members, rank, ranks)) return i;
  }
  return motif.classes.size();
}

}  // namespace orrery::motif

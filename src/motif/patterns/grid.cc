#include "motif/patterns/grid.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "report/counted.h"

namespace orrery::motif {
namespace {

/// Of all grids with the sides that are given the one with the least sum of squares, which is nearest to a cube; of
/// equal ones the one that is longer along the first axes.
template <std::size_t D>
class NearestCube {
 public:
  explicit NearestCube(std::array<std::uint64_t, D> given) : given_(given) {}

  Result<Grid<D>> of(std::uint32_t ranks) {
    fill(0, ranks, 0);
    if (least_ < std::numeric_limits<std::uint64_t>::max()) return best_;
    std::string sides;
    for (const std::uint64_t side : given_)
      sides += (sides.empty() ? "" : " x ") + (side == 0 ? std::string("any") : std::to_string(side));
    return Error{.message = fmt::format("a grid of {} does not have {}", sides, report::counted(ranks, "rank")),
                 .hint = "0 leaves it to the motif"};
  }

 private:
  /// `rest` ranks are left for the axes from `axis` on.
  void fill(std::size_t axis, std::uint32_t rest, std::uint64_t squares) {
    if (axis == D) {
      if (rest == 1 && squares < least_) least_ = squares, best_ = grid_;
      return;
    }
    const bool is_last = axis + 1 == D;
    for (std::uint32_t side = rest; side >= (is_last ? rest : 1); --side) {
      if (rest % side != 0 || (given_[axis] != 0 && given_[axis] != side)) continue;
      grid_.extents[axis] = side;
      fill(axis + 1, rest / side, squares + std::uint64_t{side} * side);
    }
  }

  const std::array<std::uint64_t, D> given_;
  Grid<D> grid_, best_;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

Result<Grid<2>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y) {
  return NearestCube<2>({x, y}).of(ranks);
}

Result<Grid<3>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return NearestCube<3>({x, y, z}).of(ranks);
}

}  // namespace orrery::motif

#include "motif/patterns/grid.h"

#include <fmt/format.h>

#include <limits>

#include "report/counted.h"

namespace orrery::motif {
namespace {

Error wrong_grid(std::uint32_t ranks, const std::string& given) {
  return Error{.message = fmt::format("a grid of {} does not have {}", given, report::counted(ranks, "rank")),
               .hint = "0 leaves it to the motif"};
}

}  // namespace

Result<Grid<2>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y) {
  if (x > 0 && y > 0) {
    if (x > ranks || y > ranks || x * y != ranks) return wrong_grid(ranks, fmt::format("{} x {}", x, y));
    return Grid<2>{{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)}};
  }
  std::uint32_t shorter = 1;
  for (std::uint32_t side = 1; std::uint64_t{side} * side <= ranks; ++side)
    if (ranks % side == 0) shorter = side;
  return Grid<2>{{ranks / shorter, shorter}};
}

Result<Grid<3>> make_grid(std::uint32_t ranks, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  if (x > 0 && y > 0 && z > 0) {
    if (x > ranks || y > ranks || z > ranks || x * y > ranks || x * y * z != ranks)
      return wrong_grid(ranks, fmt::format("{} x {} x {}", x, y, z));
    return Grid<3>{{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)}};
  }
  // Of equal products the one with the least sum of squares is nearest to a cube.
  Grid<3> best{{ranks, 1, 1}};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t a = 1; a * a * a <= ranks; ++a) {
    if (ranks % a != 0) continue;
    const std::uint64_t rest = ranks / a;
    for (std::uint64_t b = a; b * b <= rest; ++b) {
      if (rest % b != 0) continue;
      const std::uint64_t c = rest / b, squares = a * a + b * b + c * c;
      if (squares >= least) continue;
      least = squares;
      best.extents = {static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a)};
    }
  }
  return best;
}

}  // namespace orrery::motif

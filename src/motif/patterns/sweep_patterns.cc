// Wavefronts: a rank computes when what comes from upstream is there and hands on downstream, block by block, from each
// corner of the grid in turn.
#include <fmt/format.h>

#include <array>

#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr Parameter kSweepRounds{"iterations", ParameterKind::count, "1", "rounds"};
constexpr Parameter kBlockTime{"computetime", ParameterKind::number, "1000", "ns of computation for a block"};
constexpr Parameter kNx{"nx", ParameterKind::count, "50", "cells of a rank along x"};
constexpr Parameter kNy{"ny", ParameterKind::count, "50", "cells of a rank along y"};
constexpr Parameter kNz{"nz", ParameterKind::count, "50", "cells of a rank along z"};
constexpr Parameter kPex{"pex", ParameterKind::count, "0", "ranks along x; 0: as square as can be"};
constexpr Parameter kPey{"pey", ParameterKind::count, "0", "ranks along y"};

constexpr std::array kSweep2D = {kBlockTime, kSweepRounds, kNx, kNy,
                                 Parameter{"y_block", ParameterKind::count, "1", "cells along y of a block"}};
constexpr std::array kSweep3D = {
    kPex,
    kPey,
    kSweepRounds,
    kNx,
    kNy,
    kNz,
    Parameter{"kba", ParameterKind::count, "1", "cells along z of a block"},
    Parameter{"datatype_width", ParameterKind::count, "8", "bytes of a value"},
    Parameter{"fields_per_cell", ParameterKind::count, "8", "values of a cell"},
    Parameter{"flops_per_cell", ParameterKind::number, "275", "operations for one value of a cell"},
    Parameter{"nodeflops", ParameterKind::number, "1000000000", "operations per second of a rank"},
    Parameter{"computetime", ParameterKind::number, "", "ns for one layer of one value; left out: by the operations"}};
constexpr std::array kNasLu = {
    kBlockTime, kPex, kPey, kSweepRounds,
    kNx,        kNy,  kNz,  Parameter{"nzblock", ParameterKind::count, "1", "cells along z of a block"}};

struct Sweep {
  Grid<2> grid;
  std::uint64_t blocks = 0;
  std::int64_t x_bytes = 0, y_bytes = 0;  ///< of what a block hands on along each axis
  TimePs compute = 0;

  /// From the corner that `x` and `y` (1 or -1) point away from. A direction of 0 has no neighbours.
  // Blocking receives before, blocking sends after: that alone makes the wavefront, a rank further with each block.
  void append(Script& script, std::uint32_t rank, int x, int y, std::int64_t tag) const {
    const auto beside = [&](std::size_t axis, int steps) {
      return steps == 0 ? std::nullopt : grid.beside(rank, axis, steps);
    };
    for (std::uint64_t block = 0; block < blocks; ++block) {
      if (const auto peer = beside(0, -x)) script.recv(*peer, x_bytes, tag);
      if (const auto peer = beside(1, -y)) script.recv(*peer, y_bytes, tag);
      script.compute(compute);
      if (const auto peer = beside(0, x)) script.send(*peer, x_bytes, tag);
      if (const auto peer = beside(1, y)) script.send(*peer, y_bytes, tag);
    }
  }
};

Status check_blocks(std::string_view cells, std::string_view block, const Values& values) {
  // A rest of a block would need a size of its own.
  if (values.count(block) > 0 && values.count(cells) % values.count(block) == 0) return {};
  return Error{fmt::format("{}={} does not divide {}={}", block, values.count(block), cells, values.count(cells))};
}

Pattern sweep_pattern(const Values& values, const Grid<2>& grid) {
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  // Neighbours are told by distance, so that ranks at the same borders of the grid share a program.
  pattern.relative = true;
  pattern.class_of = [grid](std::uint32_t rank) { return grid.class_of(rank); };
  return pattern;
}

Result<Pattern> sweep_2d(const Values& values, std::uint32_t ranks) {
  if (const Status checked = check_blocks("ny", "y_block", values); !checked) return checked.error();
  const Sweep sweep{.grid = {{ranks, 1}},
                    .blocks = values.count("ny") / values.count("y_block"),
                    .x_bytes = product({values.count("nx"), values.count("y_block")}),
                    .compute = values.nanoseconds("computetime")};
  Pattern pattern = sweep_pattern(values, sweep.grid);
  pattern.append = [sweep](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("sweep up");
    // A tag of its own for each sweep: messages of two of them between the same ranks never match.
    sweep.append(script, rank, 1, 0, 1000);
    script.phase("sweep down");
    sweep.append(script, rank, -1, 0, 2000);
    sweep.append(script, rank, -1, 0, 3000);
    script.phase("sweep up");
    sweep.append(script, rank, 1, 0, 4000);
  };
  return pattern;
}

constexpr std::array<std::string_view, 4> kCorners = {"sweep from 0, 0", "sweep from X, 0", "sweep from X, Y",
                                                      "sweep from 0, Y"};

Result<Pattern> sweep_3d(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("pex"), values.count("pey"));
  if (!grid) return grid.error();
  if (const Status checked = check_blocks("nz", "kba", values); !checked) return checked.error();
  if (!values.has("computetime") && values.number("nodeflops") <= 0)
    return Error{"nodeflops=0: nothing is ever computed"};
  // Nanoseconds of one layer of cells for one value: given, or from what a cell takes and what a rank can do.
  const double layer_ns = values.has("computetime")
                              ? values.number("computetime")
                              : values.number("nx") * values.number("ny") * values.number("flops_per_cell") /
                                    (values.number("nodeflops") * 1e-9);
  const std::uint64_t layers = values.count("kba"), fields = values.count("fields_per_cell"),
                      width = values.count("datatype_width");
  const Sweep sweep{.grid = *grid,
                    .blocks = values.count("nz") / values.count("kba"),
                    .x_bytes = product({values.count("nx"), layers, fields, width}),
                    .y_bytes = product({values.count("ny"), layers, fields, width}),
                    .compute = to_picoseconds(layer_ns * (static_cast<double>(layers) * static_cast<double>(fields)))};
  Pattern pattern = sweep_pattern(values, *grid);
  pattern.rounds *= 2;  // the upper and the lower four octants
  pattern.append = [sweep](Script& script, std::uint32_t rank, std::uint64_t) {
    // Around the plane: each corner is beside the one before.
    constexpr std::array<std::array<int, 2>, 4> kTowards = {{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
    for (std::size_t corner = 0; corner < kTowards.size(); ++corner) {
      script.phase(kCorners[corner]);
      sweep.append(script, rank, kTowards[corner][0], kTowards[corner][1],
                   1000 * (static_cast<std::int64_t>(corner) + 1));
    }
  };
  return pattern;
}

Result<Pattern> nas_lu(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("pex"), values.count("pey"));
  if (!grid) return grid.error();
  if (const Status checked = check_blocks("nz", "nzblock", values); !checked) return checked.error();
  const Sweep sweep{.grid = *grid,
                    .blocks = values.count("nz") / values.count("nzblock"),
                    .x_bytes = product({values.count("nx"), values.count("nzblock")}),
                    .y_bytes = product({values.count("ny"), values.count("nzblock")}),
                    .compute = values.nanoseconds("computetime")};
  Pattern pattern = sweep_pattern(values, *grid);
  pattern.append = [sweep](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("lower sweep");
    sweep.append(script, rank, 1, 1, 1000);
    script.phase("upper sweep");
    sweep.append(script, rank, -1, -1, 3000);
  };
  return pattern;
}

constexpr std::array kSweepPatterns = {
    PatternInfo{"sweep2d", "wavefronts up and down a row of ranks", kSweep2D, sweep_2d},
    PatternInfo{"sweep3d", "wavefronts from the four corners of a plane of ranks, twice: discrete ordinates transport",
                kSweep3D, sweep_3d},
    PatternInfo{"naslu", "the two wavefronts of the NAS benchmark LU", kNasLu, nas_lu}};

}  // namespace

std::span<const PatternInfo> sweep_patterns() { return kSweepPatterns; }

}  // namespace orrery::motif

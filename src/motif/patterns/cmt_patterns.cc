// Compressible turbulence with spectral elements (CMT-nek): neighbours in one, two or three dimensions, or the crystal
// router.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "base/random.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr Parameter kCmtRounds{"iterations", ParameterKind::count, "1", "rounds of each quantity"};
constexpr Parameter kElementSize{"elementsize", ParameterKind::count, "10", "points of an element along an axis"};
constexpr Parameter kQuantities{"variables", ParameterKind::count, "1", "physical quantities, one after the other"};
constexpr Parameter kThreads{"threads", ParameterKind::count, "1", "threads of a rank, which share its elements"};
constexpr Parameter kFlops{"processorflops", ParameterKind::number, "4", "operations per cycle"};
constexpr Parameter kFrequency{"processorfreq", ParameterKind::number, "2.5", "GHz"};
constexpr Parameter kMean{"nsComputeMean", ParameterKind::number, "",
                          "ns of computation in a round, in the mean; left out: by the operations"};
constexpr Parameter kDeviation{"nsComputeStddev", ParameterKind::number, "",
                               "its standard deviation; left out: 5 % of the mean; 0: ranks are alike"};
constexpr Parameter kSeed{"seed", ParameterKind::count, "1", "of the computation times"};
constexpr Parameter kMx{"mx", ParameterKind::count, "10", "elements of a rank along x"};
constexpr Parameter kMy{"my", ParameterKind::count, "10", "elements of a rank along y"};
constexpr Parameter kMz{"mz", ParameterKind::count, "10", "elements of a rank along z"};
constexpr Parameter kPx{"px", ParameterKind::count, "0", "ranks along x; 0: as cubic as can be"};
constexpr Parameter kPy{"py", ParameterKind::count, "0", "ranks along y"};
constexpr Parameter kPz{"pz", ParameterKind::count, "0", "ranks along z"};

constexpr std::array kCmt1D = {kCmtRounds,
                               kElementSize,
                               kQuantities,
                               kThreads,
                               Parameter{"nelt", ParameterKind::count, "1000", "elements of a rank"},
                               kFlops,
                               kFrequency,
                               kMean,
                               kDeviation,
                               kSeed};
constexpr std::array kCmt2D = {kCmtRounds, kElementSize, kQuantities, kPx,        kPy,   kThreads,   kMx,
                               kMy,        kMz,          kFlops,      kFrequency, kMean, kDeviation, kSeed};
constexpr std::array kCmt3D = {kCmtRounds, kElementSize, kQuantities, kPx,        kPy,   kPz,        kThreads, kMx,
                               kMy,        kMz,          kFlops,      kFrequency, kMean, kDeviation, kSeed};

/// Computation whose length differs from rank to rank and from round to round.
struct NoisyCompute {
  double mean_ns = 0, deviation_ns = 0;
  std::uint64_t seed = 0;

  static Result<NoisyCompute> of(const Values& values, double elements) {
    const auto points = static_cast<double>(values.count("elementsize"));
    const double rate =
        values.number("processorflops") * values.number("processorfreq") * static_cast<double>(values.count("threads"));
    if (!values.has("nsComputeMean") && rate <= 0)
      return Error{"processorflops, processorfreq and threads are above 0, or nsComputeMean is given"};
    NoisyCompute compute{.seed = values.count("seed")};
    // Derivatives along one axis: for each point of an element a product of elementsize multiplications and one
    // addition less. Operations per cycle times GHz are those of a nanosecond.
    compute.mean_ns = values.has("nsComputeMean")
                          ? values.number("nsComputeMean")
                          : std::pow(points, 3) * elements * std::max(0.0, 2 * points - 1) / rate;
    compute.deviation_ns = values.has("nsComputeStddev") ? values.number("nsComputeStddev") : 0.05 * compute.mean_ns;
    return compute;
  }
  [[nodiscard]] bool varies() const { return deviation_ns > 0; }
  [[nodiscard]] TimePs at(std::uint32_t rank, std::uint64_t round) const {
    // Ranks in the upper half, rounds in the lower: no two share a number.
    std::uint64_t state = seed + (std::uint64_t{rank} << 32) + round;
    next_random(state);  // numbers that lie close together begin alike
    return to_picoseconds(varies() ? mean_ns + deviation_ns * next_gaussian(state) : mean_ns);
  }
};

/// Sets what all of them have in common; `class_of` is for ranks that compute for equally long.
Pattern cmt_pattern(const Values& values, const NoisyCompute& compute,
                    std::function<std::uint64_t(std::uint32_t)> class_of) {
  Pattern pattern;
  pattern.rounds = static_cast<std::uint64_t>(product({values.count("iterations"), values.count("variables")}));
  pattern.rounds_alike = !compute.varies();
  pattern.relative = true;
  // Where lengths vary no two ranks are alike.
  if (!compute.varies()) pattern.class_of = std::move(class_of);
  return pattern;
}

Result<Pattern> cmt_1d(const Values& values, std::uint32_t ranks) {
  const auto compute = NoisyCompute::of(values, static_cast<double>(values.count("nelt")));
  if (!compute) return compute.error();
  const Grid<2> row{{ranks, 1}};
  Pattern pattern = cmt_pattern(values, *compute, [row](std::uint32_t rank) { return row.class_of(rank); });
  const std::int64_t bytes = product({values.count("elementsize"), values.count("elementsize")});
  pattern.append = [row, bytes, compute = *compute](Script& script, std::uint32_t rank, std::uint64_t round) {
    script.phase("compute");
    script.compute(compute.at(rank, round));
    script.phase("exchange");
    const auto down = row.beside(rank, 0, -1), up = row.beside(rank, 0, 1);
    // Everybody but the lowest sends down first; that one receives, and from there the chain resolves upwards.
    if (down) script.send(*down, bytes);
    if (up) script.recv(*up, bytes);
    if (up) script.send(*up, bytes);
    if (down) script.recv(*down, bytes);
  };
  return pattern;
}

/// Along each axis with the next and then with the one before; even places receive first.
template <std::size_t D>
Pattern neighbour_exchange(const Values& values, const Grid<D>& grid, const NoisyCompute& compute,
                           const std::array<std::int64_t, D>& bytes) {
  Pattern pattern = cmt_pattern(values, compute, [grid](std::uint32_t rank) { return grid.class_of(rank, true); });
  pattern.append = [grid, bytes, compute](Script& script, std::uint32_t rank, std::uint64_t round) {
    constexpr std::array<std::string_view, 3> kPhases = {"exchange x", "exchange y", "exchange z"};
    script.phase("compute");
    script.compute(compute.at(rank, round));
    const auto here = grid.place(rank);
    for (std::size_t axis = 0; axis < D; ++axis) {
      script.phase(kPhases[axis]);
      const bool odd = here[axis] % 2 == 1;
      // An odd place goes on with the one that an even place begins with, or both would wait.
      for (const int step : {odd ? -1 : 1, odd ? 1 : -1}) {
        const auto peer = grid.beside(rank, axis, step);
        if (!peer) continue;
        if (odd) script.send(*peer, bytes[axis]);
        script.recv(*peer, bytes[axis]);
        if (!odd) script.send(*peer, bytes[axis]);
      }
    }
  };
  return pattern;
}

double elements_of(const Values& values) {
  return static_cast<double>(values.count("mx")) * static_cast<double>(values.count("my")) *
         static_cast<double>(values.count("mz"));
}

std::int64_t face_bytes(const Values& values, std::string_view a, std::string_view b) {
  return product({values.count("elementsize"), values.count("elementsize"), values.count(a), values.count(b)});
}

Result<Pattern> cmt_2d(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("px"), values.count("py"));
  if (!grid) return grid.error();
  const auto compute = NoisyCompute::of(values, elements_of(values));
  if (!compute) return compute.error();
  return neighbour_exchange<2>(values, *grid, *compute,
                               {face_bytes(values, "my", "mz"), face_bytes(values, "mx", "mz")});
}

Result<Pattern> cmt_3d(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("px"), values.count("py"), values.count("pz"));
  if (!grid) return grid.error();
  const auto compute = NoisyCompute::of(values, elements_of(values));
  if (!compute) return compute.error();
  return neighbour_exchange<3>(
      values, *grid, *compute,
      {face_bytes(values, "my", "mz"), face_bytes(values, "mx", "mz"), face_bytes(values, "mx", "my")});
}

/// Everything goes through a hypercube: with the rank whose number differs in the highest bit first.
Result<Pattern> cmt_crystal_router(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("px"), values.count("py"), values.count("pz"));
  if (!grid) return grid.error();
  if (!std::has_single_bit(ranks))
    return Error{fmt::format("the crystal router takes a power of two ranks, not {}", ranks)};
  const auto compute = NoisyCompute::of(values, elements_of(values));
  if (!compute) return compute.error();
  // Partners differ by exclusive or and not by distance: every rank has a program of its own.
  Pattern pattern = cmt_pattern(values, *compute, [](std::uint32_t rank) { return rank; });
  const std::uint64_t size = values.count("elementsize");
  const std::int64_t bytes = product({size, size, values.count("mx"), values.count("my"), values.count("mz")});
  pattern.append = [ranks, bytes, compute = *compute](Script& script, std::uint32_t rank, std::uint64_t round) {
    script.phase("compute");
    script.compute(compute.at(rank, round));
    script.phase("route");
    for (std::uint32_t bit = ranks / 2; bit > 0; bit /= 2) {
      const std::uint32_t peer = rank ^ bit;
      // The lower one sends first, so that two who meet never both wait.
      if (rank < peer) script.send(peer, bytes);
      script.recv(peer, bytes);
      if (rank > peer) script.send(peer, bytes);
    }
  };
  return pattern;
}

constexpr std::array kCmtPatterns = {
    PatternInfo{"cmt1d", "spectral elements in a row of ranks", kCmt1D, cmt_1d},
    PatternInfo{"cmt2d", "spectral elements on a plane of ranks", kCmt2D, cmt_2d},
    PatternInfo{"cmt3d", "spectral elements on a grid of ranks in space", kCmt3D, cmt_3d},
    PatternInfo{"cmtcr", "spectral elements whose values go through the crystal router", kCmt3D, cmt_crystal_router}};

}  // namespace

std::span<const PatternInfo> cmt_patterns() { return kCmtPatterns; }

}  // namespace orrery::motif

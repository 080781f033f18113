// Lattice quantum chromodynamics: the conjugate gradient of MILC on a lattice in four dimensions, with first and third
// neighbours.
#include <fmt/format.h>

#include <array>

#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

constexpr std::array kLattice = {
    Parameter{"nx", ParameterKind::count, "8", "sites of the whole lattice along x"},
    Parameter{"ny", ParameterKind::count, "8", "sites along y"},
    Parameter{"nz", ParameterKind::count, "8", "sites along z"},
    Parameter{"nt", ParameterKind::count, "8", "sites along t"},
    Parameter{"peflops", ParameterKind::number, "1000000000000", "operations per second of a rank"},
    Parameter{"computetime", ParameterKind::number, "",
              "ns of each of the five computations; left out: by the operations"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"}};

constexpr std::int64_t kVectorBytes = 6 * 8;      // three complex numbers: a quark at a site
constexpr double kMatrixOperationsPerSite = 288;  // four products of a 3 x 3 matrix and a vector, and their sum
constexpr double kResidualOperationsPerSite = 157.0 / 2;

struct Lattice {
  Grid<4> ranks;
  std::array<std::int64_t, 4> sites{};  ///< of one rank

  [[nodiscard]] std::int64_t all_sites() const { return sites[0] * sites[1] * sites[2] * sites[3]; }
  /// Of half of the sites (even or odd) of the side towards an axis, `planes` deep.
  [[nodiscard]] std::int64_t side_bytes(std::size_t axis, std::int64_t planes) const {
    return all_sites() / sites[axis] * planes / 2 * kVectorBytes;
  }
};

/// As MILC lays it out: by the largest prime factor first, across the longest side, and one that was cut before if
/// there is a choice.
Result<Lattice> lay_out_lattice(std::uint32_t ranks, const std::array<std::int64_t, 4>& sites) {
  Lattice lattice{.ranks = {{1, 1, 1, 1}}, .sites = sites};
  std::vector<std::uint32_t> factors;
  std::uint32_t rest = ranks;
  for (std::uint32_t prime = 2; rest > 1; ++prime)
    for (; rest % prime == 0; rest /= prime) factors.push_back(prime);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    std::size_t best = sites.size();
    for (std::size_t axis = 0; axis < sites.size(); ++axis) {
      if (lattice.sites[axis] % *factor != 0) continue;
      const bool longer = best == sites.size() || lattice.sites[axis] > lattice.sites[best];
      const bool cut_before = best < sites.size() && lattice.sites[axis] == lattice.sites[best] &&
                              lattice.ranks.extents[best] == 1 && lattice.ranks.extents[axis] > 1;
      if (longer || cut_before) best = axis;
    }
    if (best == sites.size()) {
      return Error{.message = fmt::format("a lattice of {} x {} x {} x {} cannot be cut into {}", sites[0], sites[1],
                                          sites[2], sites[3], report::counted(ranks, "part")),
                   .hint = fmt::format("no side has the factor {} left", *factor)};
    }
    lattice.sites[best] /= *factor;
    lattice.ranks.extents[best] *= *factor;
  }
  return lattice;
}

Result<Pattern> lattice_qcd(const Values& values, std::uint32_t ranks) {
  std::array<std::int64_t, 4> sites{};
  constexpr std::array<std::string_view, 4> kSides = {"nx", "ny", "nz", "nt"};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::uint64_t side = values.count(kSides[axis]);
    if (side < 1 || side > 65536) return Error{fmt::format("{}={}: from 1 to 65536", kSides[axis], side)};
    sites[axis] = static_cast<std::int64_t>(side);
  }
  const auto lattice = lay_out_lattice(ranks, sites);
  if (!lattice) return lattice.error();
  if (!values.has("computetime") && values.number("peflops") <= 0) return Error{"peflops=0: nothing is ever computed"};
  const auto time_of = [&](double operations_per_site) {
    if (values.has("computetime")) return values.nanoseconds("computetime");
    return to_picoseconds(operations_per_site * static_cast<double>(lattice->all_sites()) /
                          (values.number("peflops") * 1e-9));
  };
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  pattern.class_of = [grid = lattice->ranks](std::uint32_t rank) { return grid.class_of(rank); };
  pattern.append = [lattice = *lattice, matrix = time_of(kMatrixOperationsPerSite),
                    residual = time_of(kResidualOperationsPerSite)](Script& script, std::uint32_t rank, std::uint64_t) {
    // The first neighbours, and planes two and three for the third ones; towards each side with tags of their own.
    const auto gather = [&](int side, std::vector<Script::StepId>& received) {
      for (const std::int64_t planes : {1, 2}) {
        for (std::size_t axis = 0; axis < 4; ++axis)
          if (const auto peer = lattice.ranks.beside(rank, axis, side))
            received.push_back(script.irecv(*peer, lattice.side_bytes(axis, planes), planes));
        for (std::size_t axis = 0; axis < 4; ++axis)
          if (const auto peer = lattice.ranks.beside(rank, axis, side))
            script.isend(*peer, lattice.side_bytes(axis, planes), planes);
      }
    };
    for (const std::string_view parity : {"even sites", "odd sites"}) {
      script.phase(parity);
      std::vector<Script::StepId> from_above, from_below;
      gather(1, from_above);
      gather(-1, from_below);
      for (const auto& received : {from_above, from_below}) {
        for (const Script::StepId request : received) script.wait(request);
        script.compute(matrix);
      }
      script.wait_all();
    }
    script.phase("residual");
    script.compute(residual);
    script.phase("allreduce");
    script.collective(workload::Collective::all_reduce, 8);
  };
  return pattern;
}

constexpr std::array kLatticePatterns = {PatternInfo{
    "lqcd", "quarks on a lattice in four dimensions: even and odd sites in turn, and a sum that ends a round", kLattice,
    lattice_qcd}};

}  // namespace

std::span<const PatternInfo> lattice_patterns() { return kLatticePatterns; }

}  // namespace orrery::motif

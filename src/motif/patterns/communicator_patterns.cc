// Groups of ranks that are made while the program runs, and partners at distances that grow by three.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr std::array kSplit = {Parameter{"messagesize", ParameterKind::count, "1024", "bytes of a message"},
                               Parameter{"iterations", ParameterKind::count, "1", "times around"}};
constexpr std::array kGrowing = {
    Parameter{"pex", ParameterKind::count, "0", "ranks along x; 0: as cubic as can be"},
    Parameter{"pey", ParameterKind::count, "0", "ranks along y"},
    Parameter{"pez", ParameterKind::count, "0", "ranks along z"},
    Parameter{"basephase", ParameterKind::count, "0", "added to the distances 9, 27, 81, …"},
    Parameter{"items_per_node", ParameterKind::count, "64",
              "bytes from which messages grow: 1,124 more and then three times as many, each time"},
    Parameter{"compute_at_step", ParameterKind::number, "2000", "ns of computation before each exchange"}};

constexpr std::uint32_t kHalves = 0;

/// Whoever splits a group tells all of it where he belongs: two numbers each.
constexpr std::int64_t kColourAndKey = 8;

Result<Pattern> split_twice(const Values& values, std::uint32_t ranks) {
  // Quarters of at least two ranks, or there is no ring.
  if (ranks < 8 || ranks % 4 != 0)
    return Error{fmt::format("it takes a multiple of 4 ranks, at least 8, not {}", ranks)};
  const std::uint32_t quarter = ranks / 4;
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.rounds_alike = false;
  // The first round has the splits.
  pattern.content = [](std::uint32_t, std::uint64_t round) { return round == 0 ? 1 : 2; };
  pattern.relative = true;
  pattern.groups = {{"half", {{ranks / 2, 1}}}};
  // First, last and inside of a quarter: their neighbours lie at other distances.
  pattern.class_of = [quarter](std::uint32_t rank) {
    return rank % quarter == 0 ? 0 : rank % quarter + 1 == quarter ? 1 : 2;
  };
  pattern.append = [quarter, ranks, bytes = static_cast<std::int64_t>(values.count("messagesize"))](
                       Script& script, std::uint32_t rank, std::uint64_t round) {
    if (round == 0) {
      script.phase("split");
      // A split gathers from everybody, so that each knows who goes where.
      script.collective(workload::Collective::all_gather, kColourAndKey * ranks);
      script.collective(workload::Collective::all_gather, kColourAndKey * (ranks / 2), kHalves);
    }
    script.phase("ring");
    const std::uint32_t first = rank - rank % quarter, place = rank % quarter;
    const std::uint32_t next = first + (place + 1) % quarter, previous = first + (place + quarter - 1) % quarter;
    // One sends before it receives, or all of a quarter would wait for one another.
    if (place == 0) script.send(next, bytes);
    script.recv(previous, bytes);
    if (place != 0) script.send(next, bytes);
  };
  return pattern;
}

/// Along the axes, and across x and y at once, there with or without a step along z.
constexpr std::array<std::array<int, 3>, 18> kDirections = {{{1, 0, 0},
                                                             {-1, 0, 0},
                                                             {0, 1, 0},
                                                             {0, -1, 0},
                                                             {0, 0, 1},
                                                             {0, 0, -1},
                                                             {1, 1, 0},
                                                             {1, 1, 1},
                                                             {1, 1, -1},
                                                             {1, -1, 0},
                                                             {1, -1, 1},
                                                             {1, -1, -1},
                                                             {-1, 1, 0},
                                                             {-1, 1, 1},
                                                             {-1, 1, -1},
                                                             {-1, -1, 0},
                                                             {-1, -1, 1},
                                                             {-1, -1, -1}}};

struct GrowingDistance {
  Grid<3> grid;
  std::int64_t base = 0, items = 0;
  TimePs compute = 0;

  [[nodiscard]] std::int64_t distance(std::uint64_t round) const {
    // 9, 27, 81: powers of three from the second on.
    std::int64_t power = 9;
    for (std::uint64_t i = 0; i < round; ++i) power *= 3;
    return power + base;
  }
  [[nodiscard]] std::int64_t bytes(std::uint64_t round) const {
    std::int64_t bytes = items;
    for (std::uint64_t i = 0; i <= round; ++i) bytes = (bytes + 1124) * 3;
    return bytes;
  }
  [[nodiscard]] std::vector<std::uint32_t> partners(std::uint32_t rank, std::uint64_t round) const {
    std::vector<std::uint32_t> found;
    const auto steps = static_cast<int>(distance(round));
    for (const auto& direction : kDirections) {
      const auto peer = grid.beside(rank, {direction[0] * steps, direction[1] * steps, direction[2] * steps});
      if (peer) found.push_back(*peer);
    }
    return found;
  }
};

Result<Pattern> growing_distance(const Values& values, std::uint32_t ranks) {
  const auto grid = make_grid(ranks, values.count("pex"), values.count("pey"), values.count("pez"));
  if (!grid) return grid.error();
  if (values.count("basephase") > kMostRanks || values.count("items_per_node") > std::uint64_t{1} << 40)
    return Error{fmt::format("basephase up to {} and items_per_node up to 2^40 can be run", kMostRanks)};
  const GrowingDistance growing{.grid = *grid,
                                .base = static_cast<std::int64_t>(values.count("basephase")),
                                .items = static_cast<std::int64_t>(values.count("items_per_node")),
                                .compute = values.nanoseconds("compute_at_step")};
  Pattern pattern;
  pattern.rounds_alike = false;
  // The last one finds nobody at its distance, and ends the program.
  const auto longest = std::int64_t{*std::max_element(grid->extents.begin(), grid->extents.end())};
  // Beyond the longest side of the grid nobody has a partner.
  while (growing.distance(pattern.rounds - 1) < longest) ++pattern.rounds;
  pattern.append = [growing](Script& script, std::uint32_t rank, std::uint64_t round) {
    if (round > 0 && growing.partners(rank, round - 1).empty()) return;  // it has ended
    script.phase("compute");
    script.compute(growing.compute);
    script.phase("exchange");
    const std::vector<std::uint32_t> partners = growing.partners(rank, round);
    for (const std::uint32_t peer : partners) script.irecv(peer, growing.bytes(round));
    for (const std::uint32_t peer : partners) script.isend(peer, growing.bytes(round));
    script.wait_all();
  };
  return pattern;
}

constexpr std::array kCommunicatorPatterns = {
    PatternInfo{"comm", "the ranks are split in two, these again, and a message goes around in each quarter", kSplit,
                split_twice},
    PatternInfo{"commdouble", "a grid of ranks in space: exchanges with partners at distances that grow by three",
                kGrowing, growing_distance}};

}  // namespace

std::span<const PatternInfo> communicator_patterns() { return kCommunicatorPatterns; }

}  // namespace orrery::motif

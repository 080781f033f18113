// Stencils: ranks on a grid compute and exchange the faces (and edges and corners) of their blocks with their
// neighbours.
#include <fmt/format.h>

#include <array>

#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"

namespace orrery::motif {
namespace {

constexpr std::array kHalo2D = {
    Parameter{"iterations", ParameterKind::count, "10", "rounds"},
    Parameter{"computenano", ParameterKind::number, "10", "ns of computation in a round"},
    Parameter{"messagesizex", ParameterKind::count, "128", "bytes to each neighbour along x"},
    Parameter{"messagesizey", ParameterKind::count, "128", "bytes to each neighbour along y"},
    Parameter{"computecopy", ParameterKind::number, "5", "ns of copying between x and y"},
    Parameter{"sizex", ParameterKind::count, "0", "ranks along x; 0: as square as can be"},
    Parameter{"sizey", ParameterKind::count, "0", "ranks along y"}};

constexpr std::array kHalo2DEarlyReceives =
    with(kHalo2D, Parameter{"computecopy", ParameterKind::number, "0", "ns of copying between x and y"});

constexpr std::array kBlock = {Parameter{"nx", ParameterKind::count, "100", "cells of a rank along x"},
                               Parameter{"ny", ParameterKind::count, "100", "cells of a rank along y"},
                               Parameter{"nz", ParameterKind::count, "100", "cells of a rank along z"},
                               Parameter{"pex", ParameterKind::count, "0", "ranks along x; 0: as cubic as can be"},
                               Parameter{"pey", ParameterKind::count, "0", "ranks along y"},
                               Parameter{"pez", ParameterKind::count, "0", "ranks along z"},
                               Parameter{"fields_per_cell", ParameterKind::count, "1", "values of a cell"}};
constexpr std::array kOperations = {
    Parameter{"datatype_width", ParameterKind::count, "8", "bytes of a value"},
    Parameter{"peflops", ParameterKind::number, "10000000000", "operations per second of a rank"},
    Parameter{"flopspercell", ParameterKind::number, "26", "operations for one value of a cell"}};

constexpr std::array kHalo3D = joined(
    kBlock,
    std::array{Parameter{"doreduce", ParameterKind::flag, "1", "a sum of one double over all ranks ends a round"}},
    kOperations,
    std::array{Parameter{"computetime", ParameterKind::number, "",
                         "ns of computation in a round; left out: by the operations"},
               Parameter{"copytime", ParameterKind::number, "5", "ns of copying after each exchange"},
               Parameter{"iterations", ParameterKind::count, "10", "rounds"}});

constexpr std::array kHalo3DByField = joined(
    kBlock,
    std::array{
        Parameter{"field_chunk", ParameterKind::count, "1", "of these so many are computed and exchanged at once"},
        Parameter{"doreduce", ParameterKind::count, "1",
                  "after every so many rounds a sum of one double over all ranks; 0: never"}},
    kOperations,
    std::array{Parameter{"computetime", ParameterKind::number, "",
                         "ns of computation for one value of all cells; left out: by the operations"},
               Parameter{"copytime", ParameterKind::number, "0", "ns of copying after each exchange"},
               Parameter{"iterations", ParameterKind::count, "1", "rounds"}});

/// Even places receive first and odd ones send first, so that nobody waits for his own neighbour's neighbour.
void exchange_in_turn(Script& script, bool odd, std::initializer_list<std::optional<std::uint32_t>> peers,
                      std::int64_t bytes) {
  for (const auto& peer : peers) {
    if (!peer) continue;
    if (odd) script.send(*peer, bytes);
    script.recv(*peer, bytes);
    if (!odd) script.send(*peer, bytes);
  }
}

/// With the receive posted before the message is sent, so that nobody's turn matters.
void exchange_posted(Script& script, std::initializer_list<std::optional<std::uint32_t>> peers, std::int64_t bytes) {
  for (const auto& peer : peers) {
    if (!peer) continue;
    const Script::StepId received = script.irecv(*peer, bytes);
    script.send(*peer, bytes);
    script.wait(received);
  }
}

Result<Pattern> halo_2d_by(const Values& values, std::uint32_t ranks, bool posts_first) {
  const auto grid = make_grid(ranks, values.count("sizex"), values.count("sizey"));
  if (!grid) return grid.error();
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  // With parity: even and odd places take turns, and so have different programs.
  pattern.class_of = [grid = *grid](std::uint32_t rank) { return grid.class_of(rank, true); };
  pattern.append =
      [grid = *grid, posts_first, compute = values.nanoseconds("computenano"), copy = values.nanoseconds("computecopy"),
       x = static_cast<std::int64_t>(values.count("messagesizex")),
       y = static_cast<std::int64_t>(values.count("messagesizey"))](Script& script, std::uint32_t rank, std::uint64_t) {
        const auto here = grid.place(rank);
        const auto up = [&](std::size_t axis) { return grid.beside(rank, axis, 1); };
        const auto down = [&](std::size_t axis) { return grid.beside(rank, axis, -1); };
        script.phase("compute");
        script.compute(compute);
        const auto exchange_with = [&](bool odd, const std::optional<std::uint32_t>& first,
                                       const std::optional<std::uint32_t>& second, std::int64_t bytes) {
          posts_first ? exchange_posted(script, {first, second}, bytes)
                      : exchange_in_turn(script, odd, {first, second}, bytes);
        };
        script.phase("exchange x");
        // Even places begin upwards where odd ones begin downwards, so that partners meet.
        here[0] % 2 == 0 ? exchange_with(false, up(0), down(0), x) : exchange_with(true, down(0), up(0), x);
        script.phase("copy");
        script.compute(copy);
        script.phase("exchange y");
        here[1] % 2 == 0 ? exchange_with(false, down(1), up(1), y) : exchange_with(true, up(1), down(1), y);
      };
  return pattern;
}

Result<Pattern> halo_2d(const Values& values, std::uint32_t ranks) { return halo_2d_by(values, ranks, false); }
Result<Pattern> halo_2d_early_receives(const Values& values, std::uint32_t ranks) {
  return halo_2d_by(values, ranks, true);
}

struct Block {
  Grid<3> grid;
  std::array<std::int64_t, 3> cells{};
  std::int64_t cell_bytes = 0;
  TimePs compute = 0, copy = 0;
  bool reduces = false;

  static Result<Block> of(const Values& values, std::uint32_t ranks) {
    auto grid = make_grid(ranks, values.count("pex"), values.count("pey"), values.count("pez"));
    if (!grid) return grid.error();
    Block block{.grid = *grid,
                .cell_bytes = product({values.count("fields_per_cell"), values.count("datatype_width")})};
    double all_cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr std::array<std::string_view, 3> kNames = {"nx", "ny", "nz"};
      block.cells[axis] = static_cast<std::int64_t>(values.count(kNames[axis]));
      all_cells *= static_cast<double>(block.cells[axis]);
    }
    // So that bytes of all faces together stay countable.
    if (all_cells * static_cast<double>(block.cell_bytes) > 0x1p60) return Error{"blocks of more than an exabyte"};
    const double operations =
        all_cells * static_cast<double>(values.count("fields_per_cell")) * values.number("flopspercell");
    if (!values.has("computetime") && values.number("peflops") <= 0)
      return Error{"peflops=0: nothing is ever computed"};
    block.compute = values.has("computetime") ? values.nanoseconds("computetime")
                                              : to_picoseconds(operations / (values.number("peflops") * 1e-9));
    block.copy = values.nanoseconds("copytime");
    block.reduces = values.text("doreduce") != "0" && values.text("doreduce") != "false";
    return block;
  }
  /// Faces along x, y and z in turn, of `fields` of the values of a cell.
  void exchange_faces(Script& script, std::uint32_t rank, std::int64_t fields = 1) const {
    constexpr std::array<std::string_view, 3> kPhases = {"exchange x", "exchange y", "exchange z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      script.phase(kPhases[axis]);
      std::array<int, 3> towards{};
      towards[axis] = 1;
      const std::int64_t bytes = bytes_towards(towards) * fields;
      // All receives of an axis before its sends, so that no send finds its partner busy.
      for (const int step : {-1, 1})
        if (const auto peer = grid.beside(rank, axis, step)) script.irecv(*peer, bytes);
      for (const int step : {-1, 1})
        if (const auto peer = grid.beside(rank, axis, step)) script.send(*peer, bytes);
      script.wait_all();
      script.phase("copy");
      script.compute(copy);
    }
  }
  /// Of what is exchanged with a neighbour: the extent along an axis counts where the neighbour is not further along
  /// it.
  [[nodiscard]] std::int64_t bytes_towards(const std::array<int, 3>& steps) const {
    // A face has the extents of the two other axes, an edge one, a corner none.
    std::int64_t bytes = cell_bytes;
    for (std::size_t axis = 0; axis < 3; ++axis) bytes *= steps[axis] == 0 ? cells[axis] : 1;
    return bytes;
  }
  void end_round(Script& script) const {
    if (!reduces) return;
    script.phase("allreduce");
    script.collective(workload::Collective::all_reduce, 8);
  }
};

Pattern block_pattern(const Values& values, const Block& block) {
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.relative = true;
  pattern.class_of = [grid = block.grid](std::uint32_t rank) { return grid.class_of(rank); };
  return pattern;
}

Result<Pattern> halo_3d(const Values& values, std::uint32_t ranks) {
  const auto block = Block::of(values, ranks);
  if (!block) return block.error();
  Pattern pattern = block_pattern(values, *block);
  pattern.append = [block = *block](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("compute");
    script.compute(block.compute);
    block.exchange_faces(script, rank);
    block.end_round(script);
  };
  return pattern;
}

/// A few values of every cell after the others: less is exchanged at once, and more often.
Result<Pattern> halo_3d_by_field(const Values& values, std::uint32_t ranks) {
  const std::uint64_t fields = values.count("fields_per_cell"), chunk = values.count("field_chunk"),
                      every = values.count("doreduce");
  if (chunk == 0 || fields % chunk != 0)
    return Error{fmt::format("field_chunk={} does not divide fields_per_cell={}", chunk, fields)};
  auto block = Block::of(values, ranks);
  if (!block) return block.error();
  // One value of a cell at a time, where Block counts all.
  block->cell_bytes = static_cast<std::int64_t>(values.count("datatype_width"));
  // Operations were counted for all values of a cell, and here one is computed at a time.
  if (!values.has("computetime") && fields > 0) block->compute /= static_cast<TimePs>(fields);
  Pattern pattern = block_pattern(values, *block);
  pattern.rounds_alike = every <= 1;
  // Rounds that end in a sum are of one kind, the rest of another.
  pattern.content = [every](std::uint32_t, std::uint64_t round) { return every == 0 || round % every != 0 ? 2 : 1; };
  pattern.append = [block = *block, chunk = static_cast<std::int64_t>(chunk), chunks = chunk == 0 ? 0 : fields / chunk,
                    every](Script& script, std::uint32_t rank, std::uint64_t round) {
    for (std::uint64_t i = 0; i < chunks; ++i) {
      script.phase("compute");
      script.compute(block.compute * chunk);
      block.exchange_faces(script, rank, chunk);
    }
    if (every > 0 && round % every == 0) block.end_round(script);
  };
  return pattern;
}

Result<Pattern> halo_3d_26(const Values& values, std::uint32_t ranks) {
  const auto block = Block::of(values, ranks);
  if (!block) return block.error();
  Pattern pattern = block_pattern(values, *block);
  pattern.append = [block = *block](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("compute");
    script.compute(block.compute);
    script.phase("exchange");
    const auto each_neighbour = [&](const auto& take) {
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x)
            if (const auto peer = block.grid.beside(rank, {x, y, z}); peer && (x != 0 || y != 0 || z != 0))
              take(*peer, block.bytes_towards({x, y, z}));
    };
    each_neighbour([&](std::uint32_t peer, std::int64_t bytes) { script.irecv(peer, bytes); });
    each_neighbour([&](std::uint32_t peer, std::int64_t bytes) { script.isend(peer, bytes); });
    script.wait_all();
    script.phase("copy");
    script.compute(block.copy);
    block.end_round(script);
  };
  return pattern;
}

constexpr std::array kHaloPatterns = {
    PatternInfo{"halo2d", "a grid of ranks in a plane: edges are exchanged along x, then along y", kHalo2D, halo_2d},
    PatternInfo{"halo3d", "a grid of ranks in space: faces are exchanged along x, y and z in turn", kHalo3D, halo_3d},
    PatternInfo{"halo3d26", "the same with all 26 neighbours at once: faces, edges and corners", kHalo3D, halo_3d_26},
    PatternInfo{"halo2dnbr", "as halo2d, with receives that are posted before anything is sent", kHalo2DEarlyReceives,
                halo_2d_early_receives},
    PatternInfo{"halo3dsv", "as halo3d, a few of the values of a cell after the others", kHalo3DByField,
                halo_3d_by_field}};

}  // namespace

std::span<const PatternInfo> halo_patterns() { return kHaloPatterns; }

}  // namespace orrery::motif

// Meshes that are no grid of ranks: blocks of two sizes, and whatever graph a file has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "motif/patterns/block_mesh.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"
#include "motif/patterns/matrix_market.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

constexpr std::array kRefinedMesh = {
    Parameter{"nx", ParameterKind::count, "8", "cells of a block along x"},
    Parameter{"ny", ParameterKind::count, "8", "cells of a block along y"},
    Parameter{"nz", ParameterKind::count, "8", "cells of a block along z"},
    Parameter{"fieldspercell", ParameterKind::count, "8", "values of a cell, 8 bytes each"},
    Parameter{"blocksperrank", ParameterKind::count, "8", "large blocks for each rank"},
    Parameter{"radius", ParameterKind::number, "0.5", "of the ball within which blocks are cut; 1 reaches the longest side"},
    Parameter{"computetime", ParameterKind::number, "0", "ns for each block of a rank"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"}};
constexpr std::array kUnstructured = {
    Parameter{"graphfile", ParameterKind::text, "", "Matrix Market file: an entry in row i and column j, and i sends to j"},
    Parameter{"p_size", ParameterKind::count, "10000", "cells that are exchanged with each"},
    Parameter{"fields_per_cell", ParameterKind::count, "1", "values of a cell"},
    Parameter{"datatype_width", ParameterKind::count, "8", "bytes of a value"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"},
    Parameter{"computetime", ParameterKind::number, "0", "ns of computation in a round"}};

Result<Pattern> refined_mesh(const Values& values, std::uint32_t ranks) {
  const std::uint64_t per_rank = values.count("blocksperrank");
  if (per_rank < 1 || product({per_rank, ranks}) > kMostRanks * std::int64_t{16}) return Error{fmt::format("blocksperrank={}", per_rank)};
  // As cubic as the number of blocks allows; a prime number of ranks makes a long one.
  const auto grid = make_grid(static_cast<std::uint32_t>(per_rank * ranks), 0, 0, 0);
  auto made = BlockMesh::of(grid->extents[0], grid->extents[1], grid->extents[2], values.number("radius"), ranks);
  if (!made) return made.error();
  const auto mesh = std::make_shared<const BlockMesh>(std::move(*made));
  const std::array<std::uint64_t, 3> cells = {values.count("nx"), values.count("ny"), values.count("nz")};
  std::array<std::int64_t, 3> bytes{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    bytes[axis] = product({cells[(axis + 1) % 3], cells[(axis + 2) % 3], values.count("fieldspercell"), 8});
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [mesh, bytes, ranks, compute = values.number("computetime")](Script& script, std::uint32_t rank, std::uint64_t) {
    // A small block has as many cells as a large one: a face between the two is counted in the large one's, a quarter of it.
    const auto bytes_of = [&](const BlockMesh::Face& face) { return face.quarter ? (bytes[face.axis] + 3) / 4 : bytes[face.axis]; };
    script.phase("compute");
    script.compute(to_picoseconds(compute * static_cast<double>(mesh->blocks) / ranks));
    script.phase("exchange faces");
    for (std::uint64_t i = mesh->first_received[rank]; i < mesh->first_received[rank + 1]; ++i) {
      const BlockMesh::Face& face = mesh->sent[mesh->received[i]];
      script.irecv(face.from, bytes_of(face));
    }
    for (std::uint64_t i = mesh->first[rank]; i < mesh->first[rank + 1]; ++i) script.isend(mesh->sent[i].to, bytes_of(mesh->sent[i]));
    script.wait_all();
    script.phase("allreduce");
    script.collective(workload::Collective::all_reduce, 8);
  };
  return pattern;
}

Result<Pattern> unstructured(const Values& values, std::uint32_t ranks) {
  if (!values.has("graphfile"))
    return Error{.message = "who talks to whom is not given", .hint = "--set graphfile=FILE.mtx, a Matrix Market file"};
  auto entries = read_matrix_market(values.text("graphfile"));
  if (!entries) return entries.error();
  if (entries->rows != ranks || entries->columns != ranks) {
    return Error{.message = fmt::format("{} x {} entries are not for {}", entries->rows, entries->columns, report::counted(ranks, "rank")),
                 .file = values.text("graphfile")};
  }
  struct Neighbours {
    std::vector<std::vector<std::uint32_t>> to, from;
  };
  const auto graph = std::make_shared<Neighbours>(
      Neighbours{std::vector<std::vector<std::uint32_t>>(ranks), std::vector<std::vector<std::uint32_t>>(ranks)});
  for (const auto& [row, column] : entries->places) {
    if (row == column) continue;  // nobody sends to himself
    graph->to[row].push_back(column);
    graph->from[column].push_back(row);
  }
  const std::int64_t bytes = product({values.count("p_size"), values.count("fields_per_cell"), values.count("datatype_width")});
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [graph, bytes, compute = values.nanoseconds("computetime")](Script& script, std::uint32_t rank, std::uint64_t) {
    script.phase("compute");
    script.compute(compute);
    script.phase("exchange");
    for (const std::uint32_t peer : graph->from[rank]) script.irecv(peer, bytes);
    for (const std::uint32_t peer : graph->to[rank]) script.isend(peer, bytes);
    script.wait_all();
  };
  return pattern;
}

constexpr std::array kMeshPatterns = {
    PatternInfo{"3damr", "a mesh of blocks, cut finer within a ball, spread over the ranks: faces are exchanged one by one", kRefinedMesh,
                refined_mesh},
    PatternInfo{"unstructured", "every rank exchanges with its neighbours in a graph", kUnstructured, unstructured}};

}  // namespace

std::span<const PatternInfo> mesh_patterns() { return kMeshPatterns; }

}  // namespace orrery::motif

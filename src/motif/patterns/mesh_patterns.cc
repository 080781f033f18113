// Meshes that are no grid of ranks: blocks of two sizes, and whatever graph a file has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/grid.h"
#include "motif/patterns/matrix_market.h"
#include "report/counted.h"

namespace orrery::motif {

// A mesh of blocks of which some are cut into eight smaller ones, spread over ranks: who has faces in common with whom.

struct BlockMesh {
  /// A face between two blocks on different ranks, as the rank of the first sends its side of it.
  struct Face {
    std::uint32_t from = 0, to = 0;      ///< ranks
    std::uint32_t axis = 0;              ///< across which it lies
    bool quarter = false;                ///< a small block's, or that of a large one to one of the four small ones
    std::uint32_t block = 0, other = 0;  ///< blocks: in their order faces between two ranks are sent and received
  };

  std::uint64_t blocks = 0;
  std::vector<Face> sent;               ///< by rank, then block
  std::vector<std::uint64_t> first;     ///< by rank, and the total
  std::vector<std::uint32_t> received;  ///< places in `sent`, by receiver, in the same order
  std::vector<std::uint64_t> first_received;

  /// x times y times z blocks, of which those are cut whose centre lies within `radius` times half of the longest side
  /// from the centre of the mesh. Blocks go to ranks in the order of their places, as many to each as to the others. An
  /// Error if there are fewer blocks than ranks.
  static Result<BlockMesh> of(std::uint32_t x, std::uint32_t y, std::uint32_t z, double radius, std::uint32_t ranks);
};

namespace {

using Place = std::array<std::int64_t, 3>;

/// The blocks by number: those of a cut one lie together, in the order of their places in it.
class Blocks {
 public:
  Blocks(const Place& extents, double radius)
      : extents_(extents), first_(static_cast<std::size_t>(extents[0] * extents[1] * extents[2])) {
    const double longest = static_cast<double>(std::max({extents[0], extents[1], extents[2]})) / 2;
    for_each_large([&](const Place& at) {
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d)
        square += std::pow(static_cast<double>(at[d]) + 0.5 - static_cast<double>(extents[d]) / 2, 2);
      // By the centre of the block: whether a block is cut must not depend on the order of ranks.
      first_[number(at)] = {count_, std::sqrt(square) < radius * longest};
      count_ += first_[number(at)].cut ? 8 : 1;
    });
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool inside(const Place& at) const {
    return std::equal(at.begin(), at.end(), extents_.begin(),
                      [](std::int64_t place, std::int64_t extent) { return place >= 0 && place < extent; });
  }
  [[nodiscard]] bool is_cut(const Place& at) const { return first_[number(at)].cut; }
  /// Of a large block, or of the small one with these halves (0 or 1).
  [[nodiscard]] std::uint32_t block(const Place& at, const Place& half = {}) const {
    return static_cast<std::uint32_t>(
        first_[number(at)].first + (is_cut(at) ? static_cast<std::uint64_t>(half[0] + 2 * half[1] + 4 * half[2]) : 0));
  }
  template <typename Take>
  void for_each_large(const Take& take) const {
    for (std::int64_t z = 0; z < extents_[2]; ++z)
      for (std::int64_t y = 0; y < extents_[1]; ++y)
        for (std::int64_t x = 0; x < extents_[0]; ++x) take({x, y, z});
  }

 private:
  struct First {
    std::uint64_t first = 0;
    bool cut = false;
  };
  [[nodiscard]] std::size_t number(const Place& at) const {
    return static_cast<std::size_t>(at[0] + extents_[0] * (at[1] + extents_[1] * at[2]));
  }

  Place extents_;
  std::vector<First> first_;
  std::uint64_t count_ = 0;
};

/// Calls `take(block, other, axis, quarter)` for each face of which `block` is one side and which lies towards higher
/// places.
template <typename Take>
void for_each_face(const Blocks& blocks, const Take& take) {
  blocks.for_each_large([&](const Place& at) {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      Place next = at;
      ++next[axis];
      // The two axes in which the face lies.
      const std::array<std::uint32_t, 2> across = {(axis + 1) % 3, (axis + 2) % 3};
      for (const std::int64_t a : {0, 1}) {
        for (const std::int64_t b : {0, 1}) {
          Place near{}, far{};
          near[axis] = 1;
          near[across[0]] = far[across[0]] = a;
          near[across[1]] = far[across[1]] = b;
          if (blocks.is_cut(at))
            take(blocks.block(at, far), blocks.block(at, near), axis, true);  // between its two halves
          if (!blocks.inside(next)) continue;
          const bool quarter = blocks.is_cut(at) || blocks.is_cut(next);
          if (quarter || (a == 0 && b == 0)) take(blocks.block(at, near), blocks.block(next, far), axis, quarter);
        }
      }
    }
  });
}

}  // namespace

Result<BlockMesh> BlockMesh::of(std::uint32_t x, std::uint32_t y, std::uint32_t z, double radius, std::uint32_t ranks) {
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;
  if (x == 0 || y == 0 || z == 0 || std::uint64_t{x} * y > kMostBlocks || std::uint64_t{x} * y * z > kMostBlocks)
    return Error{fmt::format("a mesh of {} x {} x {} blocks: from 1 to {} in all", x, y, z, kMostBlocks)};
  const Blocks blocks({x, y, z}, radius);
  if (blocks.count() < ranks)
    return Error{fmt::format("{} blocks are too few for {}", blocks.count(), report::counted(ranks, "rank"))};
  const auto rank_of = [&](std::uint32_t block) {
    return static_cast<std::uint32_t>(std::uint64_t{block} * ranks / blocks.count());
  };
  BlockMesh mesh;
  mesh.blocks = blocks.count();
  for_each_face(blocks, [&](std::uint32_t block, std::uint32_t other, std::uint32_t axis, bool quarter) {
    if (rank_of(block) == rank_of(other)) return;
    mesh.sent.push_back({rank_of(block), rank_of(other), axis, quarter, block, other});
    mesh.sent.push_back({rank_of(other), rank_of(block), axis, quarter, other, block});
  });
  // Both sides sort faces between them alike, so that messages meet in order without tags.
  const auto key = [](const Face& face) { return std::tuple(face.from, face.block, face.other, face.axis); };
  std::sort(mesh.sent.begin(), mesh.sent.end(), [&](const Face& a, const Face& b) { return key(a) < key(b); });
  mesh.first.assign(ranks + 1, 0);
  mesh.first_received.assign(ranks + 1, 0);
  for (const Face& face : mesh.sent) ++mesh.first[face.from + 1], ++mesh.first_received[face.to + 1];
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    mesh.first[rank + 1] += mesh.first[rank], mesh.first_received[rank + 1] += mesh.first_received[rank];
  mesh.received.resize(mesh.sent.size());
  std::vector<std::uint64_t> next(mesh.first_received.begin(), mesh.first_received.end() - 1);
  for (std::uint32_t i = 0; i < mesh.sent.size(); ++i) mesh.received[next[mesh.sent[i].to]++] = i;
  return mesh;
}

namespace {

constexpr std::array kRefinedMesh = {
    Parameter{"nx", ParameterKind::count, "8", "cells of a block along x"},
    Parameter{"ny", ParameterKind::count, "8", "cells of a block along y"},
    Parameter{"nz", ParameterKind::count, "8", "cells of a block along z"},
    Parameter{"fieldspercell", ParameterKind::count, "8", "values of a cell, 8 bytes each"},
    Parameter{"blocksperrank", ParameterKind::count, "8", "large blocks for each rank"},
    Parameter{"radius", ParameterKind::number, "0.5",
              "of the ball within which blocks are cut; 1 reaches the longest side"},
    Parameter{"computetime", ParameterKind::number, "0", "ns for each block of a rank"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"}};
constexpr std::array kUnstructured = {
    Parameter{"graphfile", ParameterKind::text, "",
              "Matrix Market file: an entry in row i and column j, and i sends to j"},
    Parameter{"p_size", ParameterKind::count, "10000", "cells that are exchanged with each"},
    Parameter{"fields_per_cell", ParameterKind::count, "1", "values of a cell"},
    Parameter{"datatype_width", ParameterKind::count, "8", "bytes of a value"},
    Parameter{"iterations", ParameterKind::count, "1", "rounds"},
    Parameter{"computetime", ParameterKind::number, "0", "ns of computation in a round"}};

Result<Pattern> refined_mesh(const Values& values, std::uint32_t ranks) {
  const std::uint64_t per_rank = values.count("blocksperrank");
  if (per_rank < 1 || product({per_rank, ranks}) > kMostRanks * std::int64_t{16})
    return Error{fmt::format("blocksperrank={}", per_rank)};
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
  pattern.append = [mesh, bytes, ranks, compute = values.number("computetime")](Script& script, std::uint32_t rank,
                                                                                std::uint64_t) {
    // A small block has as many cells as a large one: a face between the two is counted in the large one's, a quarter
    // of it.
    const auto bytes_of = [&](const BlockMesh::Face& face) {
      // Rounded up, so that the four quarters carry at least the whole.
      return face.quarter ? (bytes[face.axis] + 3) / 4 : bytes[face.axis];
    };
    script.phase("compute");
    script.compute(to_picoseconds(compute * static_cast<double>(mesh->blocks) / ranks));
    script.phase("exchange faces");
    for (std::uint64_t i = mesh->first_received[rank]; i < mesh->first_received[rank + 1]; ++i) {
      const BlockMesh::Face& face = mesh->sent[mesh->received[i]];
      script.irecv(face.from, bytes_of(face));
    }
    for (std::uint64_t i = mesh->first[rank]; i < mesh->first[rank + 1]; ++i)
      script.isend(mesh->sent[i].to, bytes_of(mesh->sent[i]));
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
    return Error{.message = fmt::format("{} x {} entries are not for {}", entries->rows, entries->columns,
                                        report::counted(ranks, "rank")),
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
  const std::int64_t bytes =
      product({values.count("p_size"), values.count("fields_per_cell"), values.count("datatype_width")});
  Pattern pattern;
  pattern.rounds = values.count("iterations");
  pattern.append = [graph, bytes, compute = values.nanoseconds("computetime")](Script& script, std::uint32_t rank,
                                                                               std::uint64_t) {
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
    PatternInfo{"3damr",
                "a mesh of blocks, cut finer within a ball, spread over the ranks: faces are exchanged one by one",
                kRefinedMesh, refined_mesh},
    PatternInfo{"unstructured", "every rank exchanges with its neighbours in a graph", kUnstructured, unstructured}};

}  // namespace

std::span<const PatternInfo> mesh_patterns() { return kMeshPatterns; }

}  // namespace orrery::motif

#include "motif/patterns/block_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "report/counted.h"

namespace orrery::motif {
namespace {

using Place = std::array<std::int64_t, 3>;

/// The blocks by number: those of a cut one lie together, in the order of their places in it.
class Blocks {
 public:
  Blocks(const Place& extents, double radius) : extents_(extents), first_(static_cast<std::size_t>(extents[0] * extents[1] * extents[2])) {
    const double longest = static_cast<double>(std::max({extents[0], extents[1], extents[2]})) / 2;
    for_each_large([&](const Place& at) {
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d) square += std::pow(static_cast<double>(at[d]) + 0.5 - static_cast<double>(extents[d]) / 2, 2);
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
    return static_cast<std::uint32_t>(first_[number(at)].first +
                                      (is_cut(at) ? static_cast<std::uint64_t>(half[0] + 2 * half[1] + 4 * half[2]) : 0));
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

/// Calls `take(block, other, axis, quarter)` for each face of which `block` is one side and which lies towards higher places.
template <typename Take>
void for_each_face(const Blocks& blocks, const Take& take) {
  blocks.for_each_large([&](const Place& at) {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      Place next = at;
      ++next[axis];
      const std::array<std::uint32_t, 2> across = {(axis + 1) % 3, (axis + 2) % 3};
      for (const std::int64_t a : {0, 1}) {
        for (const std::int64_t b : {0, 1}) {
          Place near{}, far{};
          near[axis] = 1;
          near[across[0]] = far[across[0]] = a;
          near[across[1]] = far[across[1]] = b;
          if (blocks.is_cut(at)) take(blocks.block(at, far), blocks.block(at, near), axis, true);  // between its two halves
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
  if (blocks.count() < ranks) return Error{fmt::format("{} blocks are too few for {}", blocks.count(), report::counted(ranks, "rank"))};
  const auto rank_of = [&](std::uint32_t block) { return static_cast<std::uint32_t>(std::uint64_t{block} * ranks / blocks.count()); };
  BlockMesh mesh;
  mesh.blocks = blocks.count();
  for_each_face(blocks, [&](std::uint32_t block, std::uint32_t other, std::uint32_t axis, bool quarter) {
    if (rank_of(block) == rank_of(other)) return;
    mesh.sent.push_back({rank_of(block), rank_of(other), axis, quarter, block, other});
    mesh.sent.push_back({rank_of(other), rank_of(block), axis, quarter, other, block});
  });
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

}  // namespace orrery::motif

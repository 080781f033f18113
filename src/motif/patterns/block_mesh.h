// A mesh of blocks of which some are cut into eight smaller ones, spread over ranks: who has faces in common with whom.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace orrery::motif {

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

  /// x times y times z blocks, of which those are cut whose centre lies within `radius` times half of the longest side from the centre of the mesh.
  /// Blocks go to ranks in the order of their places, as many to each as to the others. An Error if there are fewer blocks than ranks.
  static Result<BlockMesh> of(std::uint32_t x, std::uint32_t y, std::uint32_t z, double radius, std::uint32_t ranks);
};

}  // namespace orrery::motif

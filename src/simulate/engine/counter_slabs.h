// Memory for the counters of windows, which come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"

namespace orrery::simulate {

/// Pieces are cut from large blocks one after the other. A block is used again when all its pieces were given back, or
/// goes back to the system: small pieces of the heap would stay with the process, beside what a run is turned into
/// afterwards.
class CounterSlabs {
 public:
  struct Piece {
    std::span<std::uint32_t> counters;  ///< not initialised
    std::uint32_t slab = 0;
  };

  Piece take(std::size_t count);
  void give_back(const Piece& piece);

 private:
  static constexpr std::size_t kSlabCounters = std::size_t{1} << 20;

  struct Slab {
    Column<std::uint32_t> counters;
    std::size_t used = 0;      ///< counters from the front
    std::uint64_t pieces = 0;  ///< that were not given back
  };

  std::vector<Slab> slabs_;
  std::uint32_t current_ = 0;
};

}  // namespace orrery::simulate

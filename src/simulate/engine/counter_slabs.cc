#include "simulate/engine/counter_slabs.h"

#include <algorithm>

namespace orrery::simulate {

CounterSlabs::Piece CounterSlabs::take(std::size_t count) {
  if (slabs_.empty() || slabs_[current_].counters.size() - slabs_[current_].used < count) {
    const auto unused = std::find_if(slabs_.begin(), slabs_.end(), [](const Slab& slab) { return slab.pieces == 0; });
    current_ = static_cast<std::uint32_t>(unused - slabs_.begin());
    if (unused == slabs_.end()) slabs_.emplace_back();
    slabs_[current_].used = 0;
    slabs_[current_].counters = Column<std::uint32_t>(std::max(count, kSlabCounters));
  }
  Slab& slab = slabs_[current_];
  const Piece piece{{slab.counters.data() + slab.used, count}, current_};
  slab.used += count;
  ++slab.pieces;
  return piece;
}

void CounterSlabs::give_back(const Piece& piece) {
  Slab& slab = slabs_[piece.slab];
  if (--slab.pieces > 0) return;
  slab.used = 0;
  if (piece.slab != current_) slab.counters = Column<std::uint32_t>();
}

}  // namespace orrery::simulate

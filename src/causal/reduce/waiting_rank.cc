#include "causal/reduce/waiting_rank.h"

#include <stdexcept>
#include <utility>

namespace orrery::causal {

void WaitingRank::pack() {
  packed_ = Compressed(rank_bytes(rank_));
  ReducedRank nothing;
  std::swap(rank_, nothing);
}

ReducedRank WaitingRank::take() {
  if (packed_.empty()) return std::move(rank_);
  Result<ReducedRank> rank = load_rank_from_bytes(std::exchange(packed_, {}).bytes(), "");
  if (!rank) throw std::logic_error(rank.error().to_string());  // it was written by pack()
  return std::move(*rank);
}

}  // namespace orrery::causal

#include "match/node_of_rank.h"

#include <algorithm>

namespace orrery::match {

NodeOfRank::NodeOfRank(const trace::Trace& trace) {
  for (std::uint32_t i = 0; i < trace.ranks.size(); ++i) places_.emplace_back(trace.ranks[i].rank, i);
  std::sort(places_.begin(), places_.end());
}

std::uint32_t NodeOfRank::find(std::int64_t rank) const {
  const auto at = std::lower_bound(places_.begin(), places_.end(), std::pair(rank, std::uint32_t{0}));
  return at != places_.end() && at->first == rank ? at->second : kNone;
}

}  // namespace orrery::match

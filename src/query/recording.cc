#include "query/recording.h"

#include <algorithm>

namespace orrery::query {

EventNumbers::EventNumbers(const trace::Trace& trace) : first_{0} {
  for (const trace::RankTrace& rank : trace.ranks) first_.push_back(first_.back() + rank.event_count());
}

EventNumbers::Place EventNumbers::place(std::uint64_t id) const {
  // The first rank that begins behind it, less one; ranks without events begin where the next does.
  const auto after = std::upper_bound(first_.begin(), first_.end(), id);
  const auto rank = static_cast<std::size_t>(after - first_.begin()) - 1;
  return {static_cast<std::uint32_t>(rank), static_cast<trace::EventIndex>(id - first_[rank])};
}

}  // namespace orrery::query

#include "trace/nesting.h"

#include <algorithm>
#include <vector>

namespace orrery::trace {

LaneOrder::LaneOrder(const RankTrace& rank) : first_(rank.lanes.size() + 1, 0), events_(rank.event_count()) {
  for (const LaneIndex lane : rank.lane) ++first_[lane + 1];
  for (std::size_t l = 1; l < first_.size(); ++l) first_[l] += first_[l - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end());
  for (EventIndex e = 0; e < rank.event_count(); ++e) events_[next[rank.lane[e]]++] = e;
  const auto before = [&](EventIndex a, EventIndex b) {
    if (rank.start[a] != rank.start[b]) return rank.start[a] < rank.start[b];
    return rank.duration[a] != rank.duration[b] ? rank.duration[a] > rank.duration[b] : a < b;
  };
  for (std::size_t l = 0; l + 1 < first_.size(); ++l) {
    EventIndex* const begin = events_.data() + first_[l];
    EventIndex* const end = events_.data() + first_[l + 1];
    // Many recorders write a lane in this order already.
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }
}

Nesting nest_events(const RankTrace& rank) {
  Nesting nesting{Column<EventIndex>(rank.event_count(), kNoParent), Column<std::uint32_t>(rank.event_count(), 0)};
  const LaneOrder order(rank);
  std::vector<EventIndex> open;
  for (LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
    open.clear();
    for (const EventIndex event : order.of(lane)) {
      // What ends before this event does is not around it, nor closer than it to any event that follows: whatever that
      // would be around, this one is around, too. So it is taken off for good, ends never grow from the bottom of the
      // stack to its top, and the top is the parent.
      while (!open.empty() && (rank.end(open.back()) < rank.end(event) || rank.end(open.back()) <= rank.start[event]))
        open.pop_back();
      if (!open.empty()) {
        nesting.parent[event] = open.back();
        nesting.depth[event] = nesting.depth[open.back()] + 1;
      }
      open.push_back(event);
    }
  }
  return nesting;
}

}  // namespace orrery::trace

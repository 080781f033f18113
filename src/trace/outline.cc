#include "trace/outline.h"

#include <algorithm>

namespace orrery::trace {

RankTrace outline_of(const RankTrace& rank) {
  RankTrace outline;
  outline.source = rank.source;
  outline.rank = rank.rank;
  outline.epoch_unix_ns = rank.epoch_unix_ns;
  outline.era_ns = rank.era_ns;
  bool any = false;
  TimePs first = 0, last = 0;
  const auto cover = [&](TimePs time) {
    first = any ? std::min(first, time) : time;
    last = any ? std::max(last, time) : time;
    any = true;
  };
  for (EventIndex e = 0; e < rank.event_count(); ++e) cover(rank.start[e]), cover(rank.end(e));
  for (const TimePs time : rank.flows.time) cover(time);
  if (!any) return outline;
  outline.lanes.emplace_back();
  outline.categories.emplace_back();
  outline.append_event({.start = first, .duration = last - first}, {});
  return outline;
}

}  // namespace orrery::trace

#include "analyze/hta/memory_timeline.h"

#include <algorithm>
#include <vector>

namespace orrery::analyze::hta {

MemoryTimeline summarize_memory(std::span<const MemoryChange> changes) {
  MemoryTimeline timeline;
  std::int64_t least = -1;
  std::int64_t least_seen = 0;
  bool any_negative = false, any_other = false;
  std::int64_t total = 0, first = 0, last = 0;
  const auto close_point = [&] {
    const std::int64_t now = total;
    timeline.peak_bytes = timeline.points == 1 ? now : std::max(timeline.peak_bytes, now);
    for (std::size_t i = 0; i < timeline.final.size(); ++i)
      timeline.peak[i] = timeline.points == 1 ? timeline.final[i] : std::max(timeline.peak[i], timeline.final[i]);
  };
  for (const MemoryChange& change : changes) {
    // -1 stands for "none yet", also where a time is that.
    if (least == -1 || (change.time_ns > 0 && change.time_ns < least)) least = change.time_ns;
    if (timeline.points == 0 || change.time_ns != last) {
      if (timeline.points > 0) close_point();
      if (timeline.points == 0) first = change.time_ns;
      last = change.time_ns;
      ++timeline.points;
      if (last < 0) any_negative = true;
      else {
        least_seen = any_other ? std::min(least_seen, last) : last;
        any_other = true;
      }
    }
    total += change.bytes;
    timeline.final[change.category] += change.bytes;
  }
  close_point();
  timeline.first_ns = first < 0 ? least : first;
  timeline.last_ns = last < 0 ? least : last;
  timeline.least_ns = !any_other ? least : any_negative ? std::min(least, least_seen) : least_seen;
  return timeline;
}

report::Sheet memory_categories_sheet(const MemoryTimeline& timeline) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("categories");
  sheet.add({.name = "name", .title = "category"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "peak"})
      .add({.name = "final", .type = Type::integer, .unit = Unit::bytes, .title = "at the end"});
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i)
    sheet.add_row({kMemoryCategories[i], timeline.peak[i], timeline.final[i]});
  return sheet;
}

}  // namespace orrery::analyze::hta

#include "analyze/device/annotation_segments.h"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery::analyze {

using causal::kNoEvent;
using trace::EventIndex;

AnnotationSegments::AnnotationSegments(const DeviceRank& devices, trace::Activity activity) {
  const trace::RankTrace& rank = *devices.rank;
  by_lane_.resize(rank.lanes.size());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == activity && rank.has_duration(e) && rank.duration[e] > 0) events_.push_back(e);
  }
  // Lanes by their place in the content and not by index, so that the order of reading does not show.
  std::sort(events_.begin(), events_.end(), [&](EventIndex a, EventIndex b) {
    return rank.lane[a] != rank.lane[b] ? devices.content.place(rank.lane[a]) < devices.content.place(rank.lane[b])
                                        : devices.content.before(a, b);
  });
  for (std::size_t first = 0; first < events_.size();) {
    std::size_t last = first + 1;
    while (last < events_.size() && rank.lane[events_[last]] == rank.lane[events_[first]]) ++last;
    cut_lane(rank, first, last);
    first = last;
  }
}

void AnnotationSegments::cut_lane(const trace::RankTrace& rank, std::size_t first, std::size_t last) {
  std::vector<AnnotationSegment>& segments = by_lane_[rank.lane[events_[first]]];
  std::vector<EventIndex> open;
  TimePs now = 0;
  // Cuts what is open into segments up to a moment: the innermost first, and what is around it from where that ends.
  const auto advance = [&](TimePs until) {
    while (now < until) {
      // Those that have ended may lie below others that have not; they are taken off when they come to the top.
      while (!open.empty() && rank.end(open.back()) <= now) open.pop_back();
      if (open.empty()) break;
      const TimePs stop = std::min(until, rank.end(open.back()));
      segments.push_back({now, stop, open.back()});
      now = stop;
    }
    now = until;
  };
  for (std::size_t i = first; i < last; ++i) {
    // Segments of a lane begin with its first range; time before it belongs to none.
    if (i == first) now = rank.start[events_[i]];
    advance(rank.start[events_[i]]);
    open.push_back(events_[i]);
  }
  advance(std::numeric_limits<TimePs>::max());
}

EventIndex AnnotationSegments::find(trace::LaneIndex lane, TimePs time) const {
  const std::vector<AnnotationSegment>& segments = by_lane_[lane];
  const auto after = std::upper_bound(segments.begin(), segments.end(), time,
                                      [](TimePs t, const AnnotationSegment& segment) { return t < segment.begin; });
  if (after == segments.begin() || time >= (after - 1)->end) return kNoEvent;
  return (after - 1)->event;
}

std::vector<AnnotationTime> annotation_times(const DeviceRank& devices, const AnnotationSegments& segments) {
  const causal::StepWindow& window = devices.window;
  const auto inside = [&](TimePs begin, TimePs end) {
    return std::min(end, window.end) - std::max(begin, window.begin);
  };
  struct Times {
    std::vector<TimePs> calls;
    TimePs self = 0;
  };
  // By text, so that the order of equal sums does not depend on the order of reading.
  std::map<std::string_view, std::pair<StringId, Times>> by_name;
  const trace::RankTrace& rank = *devices.rank;
  const auto times_of = [&](EventIndex e) -> Times& {
    auto& [name, times] = by_name[devices.trace->name(rank, e)];
    name = rank.name[e];
    return times;
  };
  for (const EventIndex e : segments.events()) {
    if (const TimePs time = inside(rank.start[e], rank.end(e)); time > 0) times_of(e).calls.push_back(time);
  }
  for (const auto& lane : segments.by_lane()) {
    for (const AnnotationSegment& segment : lane) {
      if (const TimePs time = inside(segment.begin, segment.end); time > 0) {
        TimePs& self = times_of(segment.event).self;
        self = plus_capped(self, time);
      }
    }
  }
  std::vector<AnnotationTime> times;
  times.reserve(by_name.size());
  for (auto& [text, entry] : by_name)
    times.push_back({entry.first, distribution_of(entry.second.calls), entry.second.self});
  std::stable_sort(times.begin(), times.end(),
                   [](const AnnotationTime& a, const AnnotationTime& b) { return a.calls.sum > b.calls.sum; });
  return times;
}

}  // namespace orrery::analyze

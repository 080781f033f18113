#include "causal/host/launching_operators.h"

#include <algorithm>

#include "match/communication.h"

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

// Operators of each lane, in order: those around others before them.
std::vector<std::vector<EventIndex>> operators_by_lane(const trace::Trace& trace, const trace::RankTrace& rank,
                                                       const trace::ContentOrder& content,
                                                       const std::vector<std::uint8_t>& launches) {
  std::vector<std::vector<EventIndex>> lanes(rank.lanes.size());
  std::vector<std::uint8_t> in_order(rank.lanes.size(), 1);
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const Activity activity = rank.activity(e);
    if (activity != Activity::cpu_operator && activity != Activity::annotation) continue;
    if (launches[rank.lane[e]] == 0 || !rank.has_duration(e)) continue;
    if (activity == Activity::annotation && !match::is_host_communication(trace.name(rank, e))) continue;
    std::vector<EventIndex>& lane = lanes[rank.lane[e]];
    // Ties are left to the content of the events, as everywhere.
    if (!lane.empty() && rank.start[e] <= rank.start[lane.back()]) in_order[rank.lane[e]] = 0;
    lane.push_back(e);
  }
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (in_order[l] == 0)
      std::sort(lanes[l].begin(), lanes[l].end(), [&](EventIndex a, EventIndex b) { return content.before(a, b); });
  }
  return lanes;
}

// Works of each lane of the host by the start of their call.
std::vector<std::vector<std::uint32_t>> works_by_lane(const trace::RankTrace& rank, const DeviceTimeline& timeline) {
  std::vector<std::vector<std::uint32_t>> lanes(rank.lanes.size());
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
    if (timeline.works[w].call != kNoEvent) lanes[rank.lane[timeline.works[w].call]].push_back(w);
  }
  for (auto& lane : lanes) {
    std::stable_sort(lane.begin(), lane.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline.works[a].call_start < timeline.works[b].call_start;
    });
  }
  return lanes;
}

}  // namespace

std::vector<EventIndex> launching_operators(const trace::Trace& trace, const trace::RankTrace& rank,
                                            const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                            std::vector<EventIndex>* around) {
  if (around != nullptr) around->assign(rank.event_count(), kNoEvent);
  std::vector<EventIndex> operator_of(timeline.works.size(), kNoEvent);
  const auto works = works_by_lane(rank, timeline);
  std::vector<std::uint8_t> launches(rank.lanes.size(), 0);
  for (std::size_t l = 0; l < works.size(); ++l) launches[l] = works[l].empty() ? 0 : 1;
  const auto operators = operators_by_lane(trace, rank, content, launches);
  for (std::size_t l = 0; l < works.size(); ++l) {
    std::vector<EventIndex> open;
    auto next = operators[l].begin();
    for (const std::uint32_t w : works[l]) {
      const DeviceWork& work = timeline.works[w];
      for (; next != operators[l].end() && rank.start[*next] <= work.call_start; ++next) {
        while (!open.empty() && rank.end(open.back()) <= rank.start[*next]) open.pop_back();
        if (around != nullptr && !open.empty()) (*around)[*next] = open.back();
        open.push_back(*next);
      }
      // What ended before the call was entered, or ends inside it, is not around it.
      while (!open.empty() && rank.end(open.back()) <= work.call_start) open.pop_back();
      const auto innermost =
          std::find_if(open.rbegin(), open.rend(), [&](EventIndex e) { return rank.end(e) >= work.call_end; });
      if (innermost != open.rend()) operator_of[w] = *innermost;
    }
  }
  return operator_of;
}

}  // namespace orrery::causal

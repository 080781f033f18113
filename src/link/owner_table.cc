#include "link/owner_table.h"

namespace orrery::link {

OwnerTable::OwnerTable(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline, const StepWindow& window,
                       StepGraph& step)
    : trace_(trace),
      rank_(rank),
      timeline_(timeline),
      window_(window),
      step_(step),
      owner_of_event_(rank.event_count(), kNoWork),
      work_of_event_(rank.event_count(), kNoWork) {
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) work_of_event_[timeline.works[w].event] = w;
}

std::uint32_t OwnerTable::owner_of(trace::EventIndex event) {
  std::uint32_t& number = owner_of_event_[event];
  if (number != kNoWork) return number;
  number = static_cast<std::uint32_t>(step_.owners.size());
  const TimePs start = rank_.start[event] - window_.begin;
  Owner owner{text(rank_.name[event]), rank_.ordinal[event], rank_.lane[event], rank_.lane[event], start, start, -1, -1};
  if (const std::uint32_t w = work_of_event_[event]; w != kNoWork) {
    const DeviceWork& work = timeline_.works[w];
    owner.device = timeline_.queues[work.queue].device;
    owner.stream = timeline_.queues[work.queue].stream;
    owner.launch_start = work.call_start - window_.begin;
    if (work.call != kNoEvent) owner.launch_lane = rank_.lane[work.call];
  }
  step_.owners.push_back(owner);
  return number;
}

void OwnerTable::add_lanes_and_annotations() {
  for (const trace::Lane& lane : rank_.lanes) {
    const StringId name = lane.thread_name != 0 ? text(lane.thread_name) : json(lane.thread);
    step_.lanes.push_back({json(lane.process), json(lane.thread), name});
  }
  for (trace::EventIndex e = 0; e < rank_.event_count(); ++e) {
    if (rank_.activity(e) != trace::Activity::annotation || !rank_.has_duration(e)) continue;
    if (rank_.end(e) <= window_.begin - window_.span() || rank_.start[e] >= window_.end) continue;
    step_.annotations.push_back({text(rank_.name[e]), rank_.lane[e], rank_.start[e] - window_.begin, rank_.end(e) - window_.begin});
  }
}

}  // namespace orrery::link

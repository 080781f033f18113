#include "causal/owner_table.h"

#include <algorithm>

namespace orrery::causal {

OwnerTable::OwnerTable(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                       const StepWindow& window)
    : trace_(trace),
      rank_(rank),
      timeline_(timeline),
      window_(window),
      joined_(rank.field(trace::Field::operator_text)),
      owner_of_event_(rank.event_count(), kNoWork),
      work_of_event_(rank.event_count(), kNoWork) {
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) work_of_event_[timeline.works[w].event] = w;
}

std::uint32_t OwnerTable::owner_of(trace::EventIndex event) {
  std::uint32_t& number = owner_of_event_[event];
  if (number != kNoWork) return number;
  number = static_cast<std::uint32_t>(owners.size());
  const TimePs start = rank_.start[event] - window_.begin;
  Owner owner{
      text(rank_.name[event]), rank_.ordinal[event], rank_.lane[event], rank_.lane[event], start, start, -1, -1};
  if (const std::uint32_t w = work_of_event_[event]; w != kNoWork) {
    const DeviceWork& work = timeline_.works[w];
    owner.device = timeline_.queues[work.queue].device;
    owner.stream = timeline_.queues[work.queue].stream;
    owner.launch_start = work.call_start - window_.begin;
    if (work.call != kNoEvent) owner.launch_lane = rank_.lane[work.call];
  }
  owners.push_back(owner);
  events.push_back(event);
  if (!joined_.event.empty()) {
    const auto joined = joined_.find(event);
    operator_name.push_back(joined ? text(static_cast<StringId>(*joined)) : 0);
  }
  row_class.push_back(static_cast<std::uint8_t>((rank_.flags[event] & trace::kRowClass) >> 4));
  return number;
}

void OwnerTable::add_lanes_and_annotations(const trace::ContentOrder& order) {
  lanes.resize(rank_.lanes.size());
  // Texts are numbered as they come, and analyses list by number what is otherwise alike.
  for (const trace::LaneIndex l : order.lanes()) {
    const trace::Lane& lane = rank_.lanes[l];
    const StringId name = lane.thread_name != 0 ? text(lane.thread_name) : json(lane.thread);
    lanes[l] = {json(lane.process), json(lane.thread), name};
  }
  std::vector<trace::EventIndex> found;
  for (trace::EventIndex e = 0; e < rank_.event_count(); ++e) {
    if (rank_.activity(e) != trace::Activity::annotation || !rank_.has_duration(e)) continue;
    if (rank_.end(e) <= window_.begin - window_.span() || rank_.start[e] >= window_.end) continue;
    found.push_back(e);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](trace::EventIndex a, trace::EventIndex b) { return order.before(a, b); });
  for (const trace::EventIndex e : found)
    annotations.push_back(
        {text(rank_.name[e]), rank_.lane[e], rank_.start[e] - window_.begin, rank_.end(e) - window_.begin});
}

}  // namespace orrery::causal

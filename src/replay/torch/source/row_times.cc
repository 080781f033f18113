#include "replay/torch/source/row_times.h"

#include <algorithm>

#include "causal/host/call_index.h"

namespace orrery::replay::torch {

RowTimes::RowTimes(const trace::RankTrace& rank, const causal::HostMatch& match, RankSource& source)
    : marks_(rank.lanes.size() + 1),
      thread_of_lane_(rank.lanes.size(), trace::kNoNumber),
      visits_(static_cast<std::uint32_t>(source.order.visits.size())) {
  const trace::HostTrace& host = *source.host;
  source.begin.assign(host.size(), kNoTime);
  source.end.assign(host.size(), kNoTime);
  std::int64_t first_thread = trace::kNoNumber;
  const auto mark = [](std::vector<Mark>& marks, TimePs time, std::uint32_t visit) {
    // Rows that two threads began at once may be numbered the other way round: a moment after both is what counts.
    marks.push_back({marks.empty() ? time : std::max(time, marks.back().time), visit});
  };
  for (std::uint32_t v = 0; v < visits_; ++v) {
    const Visit visit = source.order.visits[v];
    const trace::EventIndex event = match.event_of_row[visit.row];
    if (event == causal::kNoEvent) continue;
    const TimePs time = visit.is_end ? rank.end(event) : rank.start[event];
    (visit.is_end ? source.end : source.begin)[visit.row] = time;
    last_end_ = std::max(last_end_, time);
    std::int64_t& thread = thread_of_lane_[rank.lane[event]];
    if (thread == trace::kNoNumber) thread = host.thread[visit.row];
    if (first_thread == trace::kNoNumber) first_thread = thread;
    mark(marks_[rank.lane[event]], time, v);
    mark(marks_.back(), time, v);
  }
  for (std::int64_t& thread : thread_of_lane_) {
    if (thread == trace::kNoNumber) thread = first_thread;
  }
}

std::uint32_t RowTimes::visit_after(trace::LaneIndex lane, TimePs time) const {
  const std::vector<Mark>& marks = marks_[lane].empty() ? marks_.back() : marks_[lane];
  const auto at =
      std::upper_bound(marks.begin(), marks.end(), time, [](TimePs t, const Mark& mark) { return t < mark.time; });
  if (at != marks.end()) return at->visit;
  // After the thread's last row: right behind it, before whatever other threads do later.
  return marks.empty() ? visits_ : marks.back().visit + 1;
}

}  // namespace orrery::replay::torch

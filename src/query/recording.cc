#include "query/recording.h"

#include <algorithm>

#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/content_order.h"

namespace orrery::query {

const std::vector<trace::EventIndex>& Steps::events(std::size_t rank) {
  Rank& known = ranks_[rank];
  if (known.has_steps) return known.steps;
  const trace::RankTrace& trace = recording_.trace.ranks[rank];
  known.steps = causal::find_steps(recording_.trace, trace, trace::ContentOrder(recording_.trace, trace));
  known.has_steps = true;
  return known.steps;
}

void Steps::number_events(std::size_t rank) {
  const trace::RankTrace& trace = recording_.trace.ranks[rank];
  const std::vector<trace::EventIndex>& steps = events(rank);
  const auto step_at = [&](TimePs time) {
    const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                        [&](TimePs t, trace::EventIndex e) { return t < trace.start[e]; });
    if (after == steps.begin() || time >= trace.end(*(after - 1))) return kNoStep;
    return static_cast<std::int32_t>(after - steps.begin() - 1);
  };
  Rank& known = ranks_[rank];
  known.of_event.resize_uninitialized(trace.event_count());
  for (trace::EventIndex e = 0; e < trace.event_count(); ++e) known.of_event[e] = step_at(trace.start[e]);
  known.has_numbers = true;
  if (steps.empty()) return;
  // Whoever asks for a path is told what is wrong with launches; this is no reason to.
  Diagnostics unused;
  for (const causal::DeviceWork& work :
       causal::make_device_timeline(recording_.trace, trace, trace::ContentOrder(recording_.trace, trace), unused)
           .works)
    known.of_event[work.event] = step_at(attributed_at(work));
}

std::int32_t Steps::step_of(std::size_t rank, trace::EventIndex event) {
  if (!ranks_[rank].has_numbers) number_events(rank);
  return ranks_[rank].of_event[event];
}

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

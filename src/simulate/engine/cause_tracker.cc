#include "simulate/engine/cause_tracker.h"

#include <algorithm>

namespace orrery::simulate {

CauseTracker::CauseTracker(const workload::Membership& membership, const RunState& state, const EngineOptions& options)
    : state_(state), options_(options), ranks_(state.classes.size()), streams_(state.bundles.first_stream.back()) {
  for (std::uint32_t c = 0; c < state.classes.size(); ++c) {
    const std::uint32_t rank = state.classes.first(c);
    begins_.push_back(options.begins.empty() ? 0 : options.begins[rank]);
  }
  place_in_group_.assign(streams_.size(), kNone);
  for (const Bundle& bundle : state.bundles.all) {
    const Communicator& communicator = membership.communicators()[bundle.communicators[0]];
    for (std::uint32_t place = 0; place < communicator.ranks.size(); ++place) {
      const std::uint32_t rank = communicator.ranks[place];
      const std::uint32_t stream = membership.structure(rank).find_stream(communicator.name);
      std::uint32_t& first = place_in_group_[state.bundles.first_stream[state.classes.class_of[rank]] + stream];
      // Several ranks of a class may be in the group: the first of them stands for all.
      first = std::min(first, place);
    }
  }
}

CauseTracker::Record& CauseTracker::record(std::uint32_t rank, std::uint64_t activity) {
  std::vector<WindowRecords>& windows = ranks_[rank].windows;
  std::size_t w = 0;
  while (activity - windows[w].first >= windows[w].records.size()) ++w;  // mostly one or two
  return windows[w].records[activity - windows[w].first];
}

CauseTracker::Moment& CauseTracker::moment(std::uint32_t rank) {
  Moment& moment = ranks_[rank].moment;
  if (moment.at != state_.now) {
    moment.at = state_.now;
    moment.started.clear();
    moment.ended.clear();
  }
  return moment;
}

void CauseTracker::opened(std::uint32_t rank, const LiveWindow& window) {
  ranks_[rank].windows.push_back({window.first, std::vector<Record>(window.waiting.size())});
  if (window.planned->carried.empty()) return;
  Moment& now = moment(rank);
  std::sort(now.started.begin(), now.started.end());
  std::sort(now.ended.begin(), now.ended.end());
  for (const workload::CarriedDependency& edge : window.planned->carried) {
    const bool on_start = edge.type == workload::Dependency::start;
    const std::vector<std::uint64_t>& done = on_start ? now.started : now.ended;
    // What was done before this moment cannot be what its target waits for: that also waits for something of this
    // window or the one before, which nobody had begun.
    if (std::binary_search(done.begin(), done.end(), edge.source))
      released(rank, window.first + edge.target, edge.source, on_start);
  }
}

void CauseTracker::retired(std::uint32_t rank, const LiveWindow& window) {
  std::erase_if(ranks_[rank].windows, [&](const WindowRecords& records) { return records.first == window.first; });
}

StartCause CauseTracker::started(std::uint32_t rank, std::uint64_t activity, const PlannedActivity& planned) {
  Record& own = record(rank, activity);
  own.start_ps = state_.now;
  moment(rank).started.push_back(activity);
  CauseKind queue = CauseKind::begin;
  LastEnd before;
  if (has_slots(planned.resource)) {
    queue = CauseKind::slot;
    before = ranks_[rank].slots[static_cast<std::size_t>(planned.resource)];
  } else if (planned.resource == Resource::collective && !options_.replay) {
    queue = CauseKind::turn;
    before = streams_[state_.bundles.first_stream[rank] + planned.stream];
  }
  return explain_start(activity, state_.now, begins_[rank], own.done, queue, before);
}

void CauseTracker::ended(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) {
  const PlannedActivity& planned = window.plan(activity);
  moment(rank).ended.push_back(activity);
  if (planned.resource == Resource::collective) {
    const std::uint64_t place = window.planned->first_on_stream[planned.stream] + planned.place;
    streams_[state_.bundles.first_stream[rank] + planned.stream].offer(state_.now, place, activity);
  } else if (has_slots(planned.resource) && planned.duration_ps > 0) {
    // What took no time kept nobody waiting, even if it had the slot in that moment: see Causes::slot_before().
    ranks_[rank].slots[static_cast<std::size_t>(planned.resource)].offer(state_.now, activity, activity);
  }
}

}  // namespace orrery::simulate

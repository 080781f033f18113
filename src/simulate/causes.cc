#include "simulate/causes.h"

#include <algorithm>

// If the engine told causes they are read; otherwise they are found again from the times alone: a start that coincides
// with the end of a dependency follows from it, else a slot or a turn was waited for, else it is a begin. The critical
// path walks them backwards from the last end, and each piece ends where the one behind it begins.

namespace orrery::simulate {
namespace {

class WaitSummer {
 public:
  WaitSummer(Causes& causes, const JobPlan& plan, const Schedule& schedule) : causes_(causes), plan_(plan) {
    executed_ = schedule.ranks_with_activities(plan.workload().rank_count());
    members_.resize(executed_.size());
    for (std::uint32_t rank = 0; rank < plan.workload().rank_count(); ++rank)
      members_[schedule.class_of_rank.empty() ? rank : schedule.class_of_rank[rank]].push_back(rank);
  }

  WaitSums make() {
    for (std::uint32_t c = 0; c < executed_.size(); ++c) {
      for (std::uint32_t i = 0; i < plan_.of_rank(executed_[c]).size(); ++i) {
        add_start(c, {executed_[c], i});
        add_arrival(c, {executed_[c], i});
      }
    }
    return std::move(sums_);
  }

 private:
  void add_start(std::uint32_t rank_class, ActivityPlace place) {
    const Cause cause = causes_.of_start(place);
    const bool follows = cause.kind == CauseKind::dependency || cause.kind == CauseKind::start;
    const TimePs waited = follows ? 0 : causes_.start_of(place) - causes_.ready_of(place);
    sums_.add(WaitKind::of(cause.kind, plan_.workload().program(place.rank), place.activity), waited,
              members_[rank_class].size());
  }

  void add_arrival(std::uint32_t rank_class, ActivityPlace place) {
    const ActivityPlace last = causes_.last_arrival(place);
    if (last == place) return;
    const bool is_collective = plan_.of_rank(place.rank).activities[place.activity].resource == Resource::collective;
    // A message moves from when its eager send has ended.
    const bool from_end = !is_collective && causes_.is_eager(place) && !plan_.is_replay;
    const TimePs waited = (from_end ? causes_.end_of(last) : causes_.start_of(last)) - causes_.start_of(place);
    if (waited <= 0) return;
    const std::vector<std::uint32_t>& members = members_[rank_class];
    sums_.add(WaitKind::of(CauseKind::last_arrival, plan_.workload().program(place.rank), place.activity), waited,
              members.size());
    if (members.size() == 1) return sums_.add_late(last.rank, waited);
    const std::uint32_t line = plan_.matching.place(place.rank, place.activity).line;
    sums_.add_late({rank_class, is_collective, line, causes_.last_place(place)}, waited, [&] {
      std::vector<std::uint32_t> late;
      late.reserve(members.size());
      for (const std::uint32_t rank : members) late.push_back(causes_.last_arrival({rank, place.activity}).rank);
      return late;
    });
  }

  Causes& causes_;
  const JobPlan& plan_;
  std::vector<std::uint32_t> executed_;              // per class
  std::vector<std::vector<std::uint32_t>> members_;  // per class
  WaitSums sums_;
};

}  // namespace

WaitSums sum_waits(Causes& causes, const JobPlan& plan, const Schedule& schedule) {
  return WaitSummer(causes, plan, schedule).make();
}

Causes::Causes(const workload::Matching& matching, const Schedule& schedule, bool is_replay)
    : matching_(matching), schedule_(schedule), is_replay_(is_replay) {
  std::uint64_t first = 0;
  for (const std::uint32_t rank : schedule.ranks_with_activities(workload().rank_count())) {
    first_.push_back(first);
    first += workload().program(rank).size();
  }
  for (const Message& message : schedule.taken) {
    taken_[{message.source, message.send}] = message;
    taken_[{message.target, message.recv}] = message;
  }
}

LastDone Causes::last_done(ActivityPlace place) const {
  const graph::Graph& graph = workload().program(place.rank).dependencies;
  LastDone done;
  for (const graph::Slot slot : graph.incoming(place.activity)) {
    const ActivityPlace source{place.rank, graph.source(slot)};
    const bool on_start = static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::start;
    done.offer(on_start ? start_of(source) : end_of(source), source.activity, on_start);
  }
  return done;
}

TimePs Causes::ready_of(ActivityPlace place) const { return std::max<TimePs>(last_done(place).at(), 0); }

Cause Causes::of_start(ActivityPlace place) {
  if (are_told()) {
    const std::uint64_t told = number(place);
    return {static_cast<CauseKind>(schedule_.causes.kinds[told]), {place.rank, schedule_.causes.activities[told]}};
  }
  const TimePs start = start_of(place);
  const LastDone done = last_done(place);
  CauseKind queue = CauseKind::begin;
  LastEnd before;
  if (done.at() != start) {  // else whoever was before it does not count
    const Resource occupied = resource(place);
    if (has_slots(occupied)) {
      queue = CauseKind::slot;
      before = slot_before(place);
    } else if (occupied == Resource::collective && !is_replay_) {
      queue = CauseKind::turn;
      before = turn_before(place);
    }
  }
  const StartCause cause = explain_start(place.activity, start, 0, done, queue, before);
  return {cause.kind, {place.rank, static_cast<std::uint32_t>(cause.activity)}};
}

// Something that had a slot of the same kind until then. What took no time kept nobody waiting, even if it had the slot
// in that moment: there is always another one that did, or this one would have started before. So causes lead back in
// time and cannot go round in circles.
LastEnd Causes::slot_before(ActivityPlace place) {
  const auto [found, fresh] = ends_.try_emplace(row_of(place.rank));
  if (fresh) {
    for (std::uint32_t i = 0; i < workload().program(place.rank).size(); ++i) {
      if (has_slots(resource({place.rank, i}))) found->second[end_of({place.rank, i})].push_back(i);
    }
  }
  const TimePs start = start_of(place);
  LastEnd before;
  for (const std::uint32_t other : found->second[start]) {
    if (resource({place.rank, other}) != resource(place)) continue;
    if (start_of({place.rank, other}) < start) before.offer(start, other, other);
  }
  return before;
}

LastEnd Causes::turn_before(ActivityPlace place) const {
  const workload::LinePlace here = matching_.place(place.rank, place.activity);
  const auto& stream = matching_.lines(place.rank).streams[here.line].activities;
  LastEnd before;
  for (std::uint32_t earlier = 0; earlier < here.place; ++earlier) {
    const TimePs end = end_of({place.rank, stream[earlier]});
    // Other simulators let collectives of a communicator overlap: one that ends later did not keep this one waiting.
    if (end <= start_of(place)) before.offer(end, earlier, stream[earlier]);
  }
  return before;
}

std::uint32_t Causes::last_place(ActivityPlace place) const {
  if (are_told()) return schedule_.causes.last_places[number(place)];
  switch (resource(place)) {
    case Resource::collective: return last_member(place);
    case Resource::send:
    case Resource::recv: return last_side(place);
    default: return kItself;
  }
}

ActivityPlace Causes::last_arrival(ActivityPlace place) const {
  const std::uint32_t last = last_place(place);
  if (last == kItself || last == kNobody) return place;
  if (resource(place) == Resource::collective) {
    const Communicator& communicator = matching_.communicator(place.rank, place.activity);
    const std::uint32_t rank = communicator.ranks[last];
    return {rank, matching_.activity_of(communicator, rank, matching_.place(place.rank, place.activity).place)};
  }
  const std::optional<Message> message = message_of(place);
  return last == 0 ? ActivityPlace{message->source, message->send} : ActivityPlace{message->target, message->recv};
}

// Of several that came last itself, else the first in the group. Where members do not end together, as in other
// simulators, one that came after this one had ended was not waited for.
std::uint32_t Causes::last_member(ActivityPlace place) const {
  const Communicator& communicator = matching_.communicator(place.rank, place.activity);
  const std::uint32_t number = matching_.place(place.rank, place.activity).place;
  std::uint32_t last = kItself;
  TimePs latest = start_of(place);
  for (std::uint32_t i = 0; i < communicator.ranks.size(); ++i) {
    const std::uint32_t rank = communicator.ranks[i];
    const TimePs start = start_of({rank, matching_.activity_of(communicator, rank, number)});
    if (start <= latest || start > end_of(place)) continue;
    last = i;
    latest = start;
  }
  return last;
}

std::optional<Message> Causes::message_of(ActivityPlace place) const {
  if (const auto taken = taken_.find({place.rank, place.activity}); taken != taken_.end()) return taken->second;
  return matching_.message(place.rank, place.activity);
}

bool Causes::ends_early(const Message& message) const {
  if (are_told()) return schedule_.causes.last_places[number({message.source, message.send})] == kNobody;
  const ActivityPlace send{message.source, message.send}, recv{message.target, message.recv};
  return end_of(send) != end_of(recv) || start_of(recv) >= end_of(send);
}

bool Causes::is_eager(ActivityPlace place) const {
  const std::optional<Message> message = message_of(place);
  return message && ends_early(*message);
}

std::uint32_t Causes::last_side(ActivityPlace place) const {
  const std::optional<Message> message = message_of(place);
  if (!message) return kItself;
  const ActivityPlace send{message->source, message->send}, recv{message->target, message->recv};
  // An eager send waits for nobody; its receive waits for the message, unless that was there already.
  if (ends_early(*message)) return place == send ? kNobody : end_of(recv) == start_of(recv) ? kItself : 0;
  if (place == send) return start_of(recv) > start_of(send) ? 1 : kItself;
  return start_of(send) > start_of(recv) ? 0 : kItself;
}

std::vector<PathPiece> critical_path(Causes& causes, const workload::Workload& workload, const Schedule& schedule) {
  ActivityPlace current;
  TimePs end = -1;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    // The finish of a rank is that of its last activity: one that finishes earlier has none that ends last.
    if (!schedule.ranks.empty() && schedule.ranks[rank].finish_ps <= end) continue;
    for (std::uint32_t i = 0; i < workload.program(rank).size(); ++i) {
      if (causes.end_of({rank, i}) > end) current = {rank, i}, end = causes.end_of(current);
    }
  }
  std::vector<PathPiece> path;
  while (end >= 0) {
    const ActivityPlace last = causes.last_arrival(current);
    if (last != current && causes.end_of(last) < end) {  // an eager send: its message moves when it has ended
      path.push_back({current, causes.end_of(last), end, CauseKind::last_arrival});
      end = causes.end_of(current = last);
      continue;
    }
    const TimePs ready = causes.start_of(last);
    path.push_back({current, ready, end, CauseKind::last_arrival});
    Cause cause = causes.of_start(last);
    if (last == current) path.back().then = cause.kind;
    // Where a start is enough, what is on the path is what that start waited for.
    while (cause.kind == CauseKind::start) cause = causes.of_start(cause.place);
    if (cause.kind == CauseKind::begin) break;
    current = cause.place;
    end = ready;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace orrery::simulate

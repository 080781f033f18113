#include "simulate/causes.h"

#include <algorithm>
#include <array>

namespace orrery::simulate {

std::string_view to_string(CauseKind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"begin", "dependency", "start", "slot", "turn", "last arrival"};
  return kNames[static_cast<std::size_t>(kind)];
}

Causes::Causes(const JobPlan& plan, const Schedule& schedule) : plan_(plan), schedule_(schedule) {
  std::uint64_t first = 0;
  const auto add = [&](std::uint32_t rank) {
    first_.push_back(first);
    first += plan.of_rank(rank).size();
  };
  if (schedule.class_of_rank.empty()) {
    for (std::uint32_t rank = 0; rank < plan.workload().rank_count(); ++rank) add(rank);
  } else {
    for (const std::uint32_t rank : schedule.executed_ranks) add(rank);
  }
  for (const Message& message : schedule.taken) {
    taken_[{message.source, message.send}] = message;
    taken_[{message.target, message.recv}] = message;
  }
}

Cause Causes::of_start(ActivityPlace place) {
  const graph::Graph& graph = plan_.workload().program(place.rank).dependencies;
  const TimePs start = start_of(place);
  Cause cause{CauseKind::begin, place};
  for (const graph::Slot slot : graph.incoming(place.activity)) {
    const ActivityPlace source{place.rank, graph.source(slot)};
    const bool on_start = static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::start;
    if ((on_start ? start_of(source) : end_of(source)) != start) continue;
    if (cause.kind != CauseKind::begin && cause.place.activity < source.activity) continue;
    cause = {on_start ? CauseKind::start : CauseKind::dependency, source};
  }
  if (cause.kind != CauseKind::begin || start == 0) return cause;
  const PlannedActivity& planned = plan_.of_rank(place.rank).activities[place.activity];
  if (has_slots(planned.resource)) return of_slot(place);
  if (planned.resource != Resource::collective) return cause;
  const auto& stream = plan_.of_rank(place.rank).streams()[planned.stream].activities;
  for (std::uint32_t earlier = 0; earlier < planned.place; ++earlier) {
    if (end_of({place.rank, stream[earlier]}) == start) return {CauseKind::turn, {place.rank, stream[earlier]}};
  }
  return cause;
}

// Something that had a slot of the same kind until then. What took no time kept nobody waiting, even if it had the slot in that moment: there
// is always another one that did, or this one would have started before. So causes lead back in time and cannot go round in circles.
Cause Causes::of_slot(ActivityPlace place) {
  const ProgramPlan& program = plan_.of_rank(place.rank);
  const auto [found, fresh] = ends_.try_emplace(row_of(place.rank));
  if (fresh) {
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      if (has_slots(program.activities[i].resource)) found->second[end_of({place.rank, i})].push_back(i);
    }
  }
  const TimePs start = start_of(place);
  for (const std::uint32_t other : found->second[start]) {
    if (program.activities[other].resource != program.activities[place.activity].resource) continue;
    if (start_of({place.rank, other}) < start) return {CauseKind::slot, {place.rank, other}};
  }
  return {CauseKind::begin, place};
}

ActivityPlace Causes::last_arrival(ActivityPlace place) const {
  switch (plan_.of_rank(place.rank).activities[place.activity].resource) {
    case Resource::collective: return last_member(place);
    case Resource::send:
    case Resource::recv: return last_side(place);
    default: return place;
  }
}

// Of several that came last itself, else the first in the group.
ActivityPlace Causes::last_member(ActivityPlace place) const {
  const Communicator& communicator = plan_.matching.communicator(place.rank, place.activity);
  const std::uint32_t number = plan_.matching.place(place.rank, place.activity).place;
  ActivityPlace last = place;
  for (const std::uint32_t rank : communicator.ranks) {
    const ActivityPlace member{rank, plan_.matching.activity_of(communicator, rank, number)};
    if (start_of(member) > start_of(last)) last = member;
  }
  return last;
}

std::optional<Message> Causes::message_of(ActivityPlace place) const {
  if (const auto taken = taken_.find({place.rank, place.activity}); taken != taken_.end()) return taken->second;
  return plan_.matching.message(place.rank, place.activity);
}

bool Causes::is_eager(const Message& message) const {
  const ActivityPlace send{message.source, message.send}, recv{message.target, message.recv};
  return end_of(send) != end_of(recv) || start_of(recv) >= end_of(send);
}

bool Causes::is_eager(ActivityPlace place) const {
  const std::optional<Message> message = message_of(place);
  return message && is_eager(*message);
}

ActivityPlace Causes::last_side(ActivityPlace place) const {
  const std::optional<Message> message = message_of(place);
  if (!message) return place;
  const ActivityPlace send{message->source, message->send}, recv{message->target, message->recv};
  const bool eager = is_eager(*message);
  // An eager send waits for nobody; its receive waits for the message, unless that was there already.
  if (place == send && eager) return place;
  if (place == recv && eager) return end_of(recv) == start_of(recv) ? recv : send;
  return start_of(send) > start_of(recv) || (start_of(send) == start_of(recv) && place == send) ? send : recv;
}

std::vector<PathPiece> critical_path(Causes& causes, const JobPlan& plan, const Schedule& schedule) {
  ActivityPlace current;
  TimePs end = -1;
  for (std::uint32_t rank = 0; rank < plan.workload().rank_count(); ++rank) {
    if (!schedule.ranks.empty() && schedule.ranks[rank].finish_ps <= end) continue;
    for (std::uint32_t i = 0; i < plan.of_rank(rank).size(); ++i) {
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

Result<std::vector<PathPiece>> critical_path(const workload::Workload& workload, const Schedule& schedule) {
  const Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  Causes causes(*plan, schedule);
  return critical_path(causes, *plan, schedule);
}

}  // namespace orrery::simulate

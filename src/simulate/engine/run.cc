#include "simulate/engine/run.h"

#include <algorithm>
#include <utility>

#include "simulate/engine/deadlock.h"

namespace orrery::simulate {
namespace {

constexpr std::uint64_t kReportEvery = 65'536;

}  // namespace

Run::Run(const JobPlan& plan, NetworkModel& network, const EngineOptions& options, RankClasses classes)
    : plan_(plan),
      matching_(plan.matching),
      workload_(plan.workload()),
      network_(network),
      options_(options),
      state_(plan, std::move(classes)),
      matcher_(plan.matching.has_wildcards() ? plan.workload().rank_count() : 0) {
  const std::uint32_t slots[kSlotKinds] = {options.compute_slots, options.host_slots, options.memory_slots};
  for (std::uint32_t rank = 0; rank < state_.classes.size(); ++rank) {
    program_plans_.push_back(&plan.of_rank(first_of(rank)));
    for (std::size_t kind = 0; kind < kSlotKinds; ++kind)
      state_.ranks[rank].free_slots[kind] = std::max(slots[kind], plan_of(rank).recorded_lanes[kind]);
    if (matching_.has_wildcards() && matching_.takes_as_posted(rank)) matcher_.expect_wildcards(rank);
  }
  next_report_ = kReportEvery;
}

Result<Schedule> Run::execute() {
  if (Status status = begin(); !status) return status.error();
  while (state_.done < state_.total) {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) return Error{.message = "cancelled"};
    const TimePs time = std::min(network_.next_event(), queue_.next_time());
    if (time == kNever) return explain_deadlock(plan_, state_);
    if (Status status = advance_to(time); !status) return status.error();
  }
  if (matching_.has_wildcards()) {
    if (Status status = check_received(); !status) return status.error();
  }
  for (std::uint32_t rank = 0; rank < state_.classes.size(); ++rank) {
    TimePs& finish = state_.schedule.ranks[rank].finish_ps;
    for (std::uint64_t i = state_.first_activity[rank]; i < state_.first_activity[rank + 1]; ++i)
      finish = std::max(finish, state_.schedule.end_ps[i]);
  }
  return std::move(state_.schedule);
}

Status Run::begin() {
  for (std::uint32_t rank = 0; rank < state_.classes.size(); ++rank) {
    const ProgramPlan& program = plan_of(rank);
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      if (program.activities[i].dependency_count == 0) make_ready(rank, i);
    }
  }
  return settle();
}

// Everything that follows from what has ended, at this moment.
Status Run::settle() {
  do {
    release_successors();
    dispatch();
    if (Status status = start_operations(); !status) return status;
  } while (!ended_.empty() || !started_.empty());
  return {};
}

Status Run::advance_to(TimePs time) {
  if (time < state_.now) return Error{.message = "the network model went back in time"};
  if (time >= kMaxSimulatedPs || overflow_) return Error{.message = "the simulation takes longer than 26 days"};
  if (time > state_.now) idle_advances_ = 0;
  state_.now = time;
  if (network_.next_event() <= time) {
    if (Status status = take_finished_operations(); !status) return status;
  }
  take_ended_activities();
  report_progress();
  return settle();
}

void Run::take_ended_activities() {
  if (queue_.next_time() != state_.now) return;
  events_.clear();
  queue_.take(events_);
  for (const Event& event : events_) finish(event.rank, event.activity);
}

// --- activities ---

void Run::make_ready(std::uint32_t rank, std::uint32_t activity) {
  const ProgramPlan& program = plan_of(rank);
  const Resource resource = program.activities[activity].resource;
  switch (resource) {
    case Resource::compute:
    case Resource::host:
    case Resource::memory:
      state_.ranks[rank].ready[static_cast<std::size_t>(resource)].push(activity);
      touch_rank(rank);
      return;
    case Resource::collective: touch_stream(rank, program.activities[activity].stream); return;
    case Resource::send:
    case Resource::recv: start_message_side(rank, activity, resource == Resource::send); return;
    case Resource::nothing:
      note_start(rank, activity);
      finish(rank, activity);
      return;
  }
}

void Run::note_start(std::uint32_t rank, std::uint32_t activity) {
  state_.schedule.start_ps[state_.first_activity[rank] + activity] = state_.now;
  if (plan_of(rank).activities[activity].starts_others) started_.push_back({rank, activity});
}

void Run::start(std::uint32_t rank, std::uint32_t activity, Resource resource) {
  note_start(rank, activity);
  if (resource == Resource::host || resource == Resource::memory) return;
  count_use(rank);
  if (resource == Resource::compute) ++state_.ranks[rank].computing;
  else ++state_.ranks[rank].communicating;
}

void Run::finish(std::uint32_t rank, std::uint32_t activity) {
  const ProgramPlan& program = plan_of(rank);
  const Resource resource = program.activities[activity].resource;
  RankState& state = state_.ranks[rank];
  state_.schedule.end_ps[state_.first_activity[rank] + activity] = state_.now;
  ++state_.done;
  ended_.push_back({rank, activity});
  if (has_slots(resource)) {
    ++state.free_slots[static_cast<std::size_t>(resource)];
    touch_rank(rank);
  }
  if (resource == Resource::compute || is_communication(resource)) {
    count_use(rank);
    --(resource == Resource::compute ? state.computing : state.communicating);
  }
  if (resource == Resource::collective) {
    --state_.streams[state_.first_stream[rank] + program.activities[activity].stream].running;
    touch_stream(rank, program.activities[activity].stream);
  } else if (resource == Resource::send) {
    if (is_eager(bytes_of(rank, activity))) start_messages(rank, activity);
  }
}

// A list instead of recursion: chains of activities that take no time may be long.
void Run::release_successors() {
  while (!ended_.empty() || !started_.empty()) {
    const bool has_ended = !ended_.empty();
    std::vector<Place>& list = has_ended ? ended_ : started_;
    const Place place = list.back();
    list.pop_back();
    std::uint32_t* const waiting = state_.waiting.data() + state_.first_activity[place.rank];
    const auto release = [&](std::uint32_t successor) {
      if (--waiting[successor] == 0) make_ready(place.rank, successor);
    };
    const ProgramPlan& program = plan_of(place.rank);
    if (has_ended) {
      for (const std::uint32_t successor : program.successors_of(place.activity)) release(successor);
    } else {
      for (const StartEdge& edge : program.started_by(place.activity)) release(edge.target);
    }
  }
}

void Run::schedule_end(std::uint32_t rank, std::uint32_t activity, TimePs duration) {
  const TimePs end = state_.now + duration;  // both at most kMaxSimulatedPs
  overflow_ = overflow_ || end >= kMaxSimulatedPs;
  queue_.push({end, rank, activity});
}

void Run::count_use(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  RankUse& use = state_.schedule.ranks[rank];
  const TimePs passed = state_.now - state.counted_until;
  state.counted_until = state_.now;
  if (state.computing > 0) use.compute_ps += passed;
  if (state.communicating > 0) use.communication_ps += passed;
  if (state.communicating > 0 && state.computing == 0) use.exposed_ps += passed;
}

// --- slots and streams ---

void Run::touch_rank(std::uint32_t rank) {
  if (std::exchange(state_.ranks[rank].touched, true)) return;
  touched_ranks_.push_back(rank);
}

void Run::touch_stream(std::uint32_t rank, std::uint32_t stream) {
  if (std::exchange(state_.streams[state_.first_stream[rank] + stream].touched, true)) return;
  touched_streams_.push_back({rank, stream});
}

void Run::dispatch() {
  match_posted();
  for (const std::uint32_t rank : touched_ranks_) fill_slots(rank);
  touched_ranks_.clear();
  for (const Place place : touched_streams_) fill_stream(place.rank, place.activity);
  touched_streams_.clear();
}

void Run::fill_slots(std::uint32_t rank) {
  RankState& state = state_.ranks[rank];
  state.touched = false;
  for (std::size_t kind = 0; kind < kSlotKinds; ++kind) {
    while (state.free_slots[kind] > 0 && !state.ready[kind].empty()) {
      const std::uint32_t activity = state.ready[kind].pop();
      --state.free_slots[kind];
      start(rank, activity, static_cast<Resource>(kind));
      schedule_end(rank, activity, plan_of(rank).activities[activity].duration_ps);
    }
  }
}

void Run::fill_stream(std::uint32_t rank, std::uint32_t stream) {
  StreamState& state = state_.streams[state_.first_stream[rank] + stream];
  state.touched = false;
  const std::vector<std::uint32_t>& activities = plan_of(rank).streams()[stream].activities;
  const std::uint32_t* const waiting = state_.waiting.data() + state_.first_activity[rank];
  while (state.started < activities.size() && state.running < options_.collectives_per_communicator &&
         waiting[activities[state.started]] == 0) {
    const std::uint32_t activity = activities[state.started++];
    ++state.running;
    start(rank, activity, Resource::collective);
    arrive(rank, activity);
  }
}

void Run::report_progress() {
  if (state_.done < next_report_ || !options_.on_progress) return;
  next_report_ = state_.done + kReportEvery;
  options_.on_progress(state_.done, state_.total);
}

}  // namespace orrery::simulate

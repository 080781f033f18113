#include "simulate/joint_replay.h"

#include <algorithm>
#include <vector>

#include "simulate/engine/deadlock.h"
#include "simulate/engine/job_plan.h"
#include "simulate/engine/run_state.h"

namespace orrery::simulate {
namespace {

using workload::Dependency;

// The shorter of two durations of which 0 was not recorded.
TimePs shorter(TimePs a, TimePs b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/// Activities are taken when all they depend on is known, in any order: when each starts follows from the graph alone, so that no clock is
/// needed. A collective is known when all its members are; what is left over at the end is blocked.
class JointReplay {
 public:
  JointReplay(const workload::Workload& workload, const JobPlan& plan, const Column<TimePs>& begins, std::int64_t eager_limit_bytes)
      : workload_(workload), plan_(plan), begins_(begins), eager_limit_bytes_(eager_limit_bytes) {
    state_.total = plan.first_activity.back();
    state_.schedule.start_ps.assign(state_.total, kNotYet);
    state_.schedule.end_ps.assign(state_.total, kNotYet);
    state_.ranks.resize(workload.rank_count());
    state_.messages.resize(plan.messages.size());
    state_.waiting.reserve(state_.total);
    for (const std::uint32_t program : workload.program_of_rank) {
      for (const PlannedActivity& activity : plan.programs[program].activities) state_.waiting.push_back(activity.dependency_count);
    }
    for (const Communicator& communicator : plan.communicators)
      state_.collectives.resize(state_.collectives.size() + communicator.operation_count,
                                {0, static_cast<std::uint32_t>(communicator.ranks.size())});
    state_.schedule.collectives.assign(plan.collective_count, CollectiveUse{});
    shortest_.assign(plan.collective_count, 0);
    for (const workload::Program& program : workload.programs) has_start_edges_.push_back(has_start_edges(program.dependencies));
  }

  Result<Schedule> run() {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const ProgramPlan& plan = plan_of(rank);
      for (std::uint32_t i = 0; i < plan.size(); ++i) {
        if (plan.activities[i].dependency_count == 0) ready_.push_back({rank, i});
      }
    }
    while (!ready_.empty()) {
      const Place place = ready_.back();
      ready_.pop_back();
      start(place);
      if (state_.now > kMaxSimulatedPs)
        return Error{.message = workload_.describe(place.rank, place.activity) + " or what it belongs to ends after more than 26 days"};
    }
    if (state_.done < state_.total) return explain_deadlock(workload_, plan_, state_);
    return std::move(state_.schedule);
  }

 private:
  struct Place {
    std::uint32_t rank;
    std::uint32_t activity;
  };

  static bool has_start_edges(const graph::Graph& graph) {
    const auto types = graph.columns().types.values();
    return std::find(types.begin(), types.end(), static_cast<std::uint8_t>(Dependency::start)) != types.end();
  }

  [[nodiscard]] const ProgramPlan& plan_of(std::uint32_t rank) const { return plan_.programs[workload_.program_of_rank[rank]]; }
  [[nodiscard]] TimePs duration_of(Place place) const { return workload_.program(place.rank).durations_ps[place.activity]; }
  [[nodiscard]] std::uint64_t number(Place place) const { return plan_.first_activity[place.rank] + place.activity; }
  TimePs& start_of(Place place) { return state_.schedule.start_ps[number(place)]; }
  TimePs& end_of(Place place) { return state_.schedule.end_ps[number(place)]; }

  void start(Place place) {
    const graph::Graph& graph = workload_.program(place.rank).dependencies;
    TimePs start = begins_[place.rank];
    for (const graph::Slot slot : graph.incoming(place.activity)) {
      const Place source{place.rank, graph.source(slot)};
      start = std::max(start, waits_for_start(graph, slot) ? start_of(source) : end_of(source));
    }
    start_of(place) = start;
    if (has_start_edges_[workload_.program_of_rank[place.rank]]) release(place, true);
    switch (plan_of(place.rank).activities[place.activity].resource) {
      case Resource::collective: arrive(place, start); return;
      case Resource::send:
      case Resource::recv: start_message_side(place, start); return;
      default: finish(place, start + duration_of(place));
    }
  }

  void finish(Place place, TimePs end) {
    end_of(place) = end;
    state_.now = std::max(state_.now, end);
    ++state_.done;
    release(place, false);
  }

  static bool waits_for_start(const graph::Graph& graph, graph::Slot slot) {
    return static_cast<Dependency>(graph.type(slot)) == Dependency::start;
  }

  // Successors that wait for the start of `place`, or those that wait for its end.
  void release(Place place, bool on_start) {
    const graph::Graph& graph = workload_.program(place.rank).dependencies;
    std::uint32_t* const waiting = state_.waiting.data() + plan_.first_activity[place.rank];
    for (const graph::OutgoingEdge& edge : graph.outgoing(place.activity)) {
      if (waits_for_start(graph, edge.slot) != on_start) continue;
      const graph::NodeId target = graph.node_at(edge.target_position);
      if (--waiting[target] == 0) ready_.push_back({place.rank, target});
    }
  }

  void arrive(Place place, TimePs start) {
    const PlannedActivity& planned = plan_of(place.rank).activities[place.activity];
    const Communicator& communicator = plan_.communicators[plan_.communicator_of[workload_.program_of_rank[place.rank]][planned.stream]];
    const std::uint64_t operation = communicator.first_operation + planned.place;
    CollectiveState& state = state_.collectives[operation];
    CollectiveUse& use = state_.schedule.collectives[operation];
    use.first_arrival_ps = state.arrived == 0 ? start : std::min(use.first_arrival_ps, start);
    use.last_arrival_ps = std::max(use.last_arrival_ps, start);
    shortest_[operation] = shorter(shortest_[operation], duration_of(place));
    if (++state.arrived < state.awaited) return;
    const workload::Program& program = workload_.program(place.rank);
    use.kind = program.collectives[place.activity];
    use.group_name = communicator.name;
    use.ranks = state.awaited;
    use.bytes = workload::whole_bytes(use.kind, program.bytes[place.activity], communicator.ranks.size());
    use.end_ps = use.last_arrival_ps + shortest_[operation];
    for (std::size_t m = 0; m < communicator.ranks.size(); ++m) {
      const std::uint32_t rank = communicator.ranks[m];
      finish({rank, plan_of(rank).streams[communicator.stream_of_rank[m]].activities[planned.place]}, use.end_ps);
    }
  }

  void start_message_side(Place place, TimePs start) {
    const PlannedActivity& planned = plan_of(place.rank).activities[place.activity];
    const std::uint32_t number = plan_.message_numbers[plan_.first_message[place.rank] + planned.stream];
    const Message& message = plan_.messages[number];
    const bool is_send = planned.resource == Resource::send, eager = message.bytes <= eager_limit_bytes_;
    MessageState& state = state_.messages[number];
    (is_send ? state.send_ready : state.recv_ready) = true;
    if (is_send && eager) finish(place, start + duration_of(place));
    if (!state.send_ready || !state.recv_ready) return;
    const Place send{message.source, message.send}, recv{message.target, message.recv};
    const TimePs end = std::max(start_of(send), start_of(recv)) + shorter(duration_of(send), duration_of(recv));
    if (!eager) finish(send, end);
    finish(recv, end);
  }

  const workload::Workload& workload_;
  const JobPlan& plan_;
  const Column<TimePs>& begins_;
  const std::int64_t eager_limit_bytes_;
  RunState state_;                     // `now`: the latest end so far; slots and streams are not used
  Column<TimePs> shortest_;            // per collective: of the recorded durations so far
  std::vector<bool> has_start_edges_;  // per program
  std::vector<Place> ready_;
};

}  // namespace

Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins, std::int64_t eager_limit_bytes) {
  const Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  return JointReplay(workload, *plan, begins, eager_limit_bytes).run();
}

}  // namespace orrery::simulate

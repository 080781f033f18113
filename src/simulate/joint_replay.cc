#include "simulate/joint_replay.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "simulate/engine/deadlock.h"
#include "simulate/engine/job_plan.h"
#include "simulate/engine/run_state.h"
#include "workload/collective_parts.h"
#include "workload/message_matcher.h"

namespace orrery::simulate {
namespace {

using workload::Dependency;

// The shorter of two durations of which 0 was not recorded.
TimePs shorter(TimePs a, TimePs b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/// Activities are taken when all they depend on is known, in any order: when each starts follows from the graph alone, so that no clock is
/// needed. A collective is known when all its members are; what is left over at the end is blocked.
class JointReplay {
 public:
  JointReplay(const JobPlan& plan, const Column<TimePs>& begins, std::int64_t eager_limit_bytes)
      : workload_(plan.workload()),
        matching_(plan.matching),
        plan_(plan),
        begins_(begins),
        eager_limit_bytes_(eager_limit_bytes),
        state_(plan, each_rank_alone(workload_.rank_count())),
        matcher_(workload_.rank_count()) {
    shortest_.assign(matching_.collective_count(), 0);
    for (const workload::Program& program : workload_.programs) has_start_edges_.push_back(has_start_edges(program.dependencies));
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      if (matching_.takes_as_posted(rank)) matcher_.expect_wildcards(rank);
    }
  }

  Result<Schedule> run() {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const ProgramPlan& plan = plan_.of_rank(rank);
      for (std::uint32_t i = 0; i < plan.size(); ++i) {
        if (plan.activities[i].dependency_count == 0) make_ready({rank, i});
      }
    }
    while (!ready_.empty()) {
      const Place place = take_ready();
      start(place);
      if (state_.now > kMaxSimulatedPs)
        return Error{.message = workload_.describe(place.rank, place.activity) + " or what it belongs to ends after more than 26 days"};
    }
    if (state_.done < state_.total) return explain_deadlock(plan_, state_);
    state_.schedule.ranks.clear();
    return std::move(state_.schedule);
  }

 private:
  struct Place {
    std::uint32_t rank;
    std::uint32_t activity;
  };
  struct Ready {
    TimePs start;
    Place place;

    [[nodiscard]] auto key() const { return std::tuple(start, place.rank, place.activity); }
  };
  static bool later(const Ready& a, const Ready& b) { return a.key() > b.key(); }

  // In the order of their starts only where that matters: who takes which message depends on who was first.
  void make_ready(Place place) {
    const graph::Graph& graph = workload_.program(place.rank).dependencies;
    TimePs start = begins_[place.rank];
    for (const graph::Slot slot : graph.incoming(place.activity)) {
      const Place source{place.rank, graph.source(slot)};
      start = std::max(start, waits_for_start(graph, slot) ? start_of(source) : end_of(source));
    }
    ready_.push_back({start, place});
    if (matching_.has_wildcards()) std::push_heap(ready_.begin(), ready_.end(), later);
  }

  Place take_ready() {
    if (matching_.has_wildcards()) std::pop_heap(ready_.begin(), ready_.end(), later);
    const Ready next = ready_.back();
    ready_.pop_back();
    start_of(next.place) = next.start;
    return next.place;
  }

  static bool has_start_edges(const graph::Graph& graph) {
    const auto types = graph.columns().types.values();
    return std::find(types.begin(), types.end(), static_cast<std::uint8_t>(Dependency::start)) != types.end();
  }

  [[nodiscard]] TimePs duration_of(Place place) const { return workload_.program(place.rank).duration_ps(place.activity); }
  [[nodiscard]] std::uint64_t number(Place place) const { return state_.first_activity[place.rank] + place.activity; }
  TimePs& start_of(Place place) { return state_.schedule.start_ps[number(place)]; }
  TimePs& end_of(Place place) { return state_.schedule.end_ps[number(place)]; }

  void start(Place place) {
    const TimePs start = start_of(place);
    if (has_start_edges_[workload_.program_of_rank[place.rank]]) release(place, true);
    switch (plan_.of_rank(place.rank).activities[place.activity].resource) {
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
    std::uint32_t* const waiting = state_.waiting.data() + state_.first_activity[place.rank];
    for (const graph::OutgoingEdge& edge : graph.outgoing(place.activity)) {
      if (waits_for_start(graph, edge.slot) != on_start) continue;
      const graph::NodeId target = graph.node_at(edge.target_position);
      if (--waiting[target] == 0) make_ready({place.rank, target});
    }
  }

  void arrive(Place place, TimePs start) {
    const Communicator& communicator = matching_.communicator(place.rank, place.activity);
    const std::uint32_t in_stream = matching_.place(place.rank, place.activity).place;
    const std::uint64_t operation = communicator.first_operation + in_stream;
    CollectiveState& state = state_.collectives[operation];
    CollectiveUse& use = state_.schedule.collectives[operation];
    use.first_arrival_ps = state.arrived == 0 ? start : std::min(use.first_arrival_ps, start);
    use.last_arrival_ps = std::max(use.last_arrival_ps, start);
    shortest_[operation] = shorter(shortest_[operation], duration_of(place));
    if (++state.arrived < communicator.ranks.size()) return;
    const workload::Program& program = workload_.program(place.rank);
    use.kind = program.collectives[place.activity];
    use.group_name = communicator.name;
    use.ranks = state.arrived;
    use.bytes = workload::whole_bytes(use.kind, program.bytes[place.activity], communicator.ranks.size());
    workload::collect_parts(matching_, communicator, in_stream, parts_);
    if (!parts_.empty()) use.bytes = workload::whole_bytes_of_parts(use.kind, parts_, communicator.ranks.size());
    use.end_ps = use.last_arrival_ps + shortest_[operation];
    for (const std::uint32_t rank : communicator.ranks) finish({rank, matching_.activity_of(communicator, rank, in_stream)}, use.end_ps);
  }

  void start_message_side(Place place, TimePs start) {
    const bool is_send = plan_.of_rank(place.rank).activities[place.activity].resource == Resource::send;
    const std::optional<Message> message = matching_.message(place.rank, place.activity);
    if (is_send && is_eager(place)) finish(place, start + duration_of(place));
    if (message) {
      const Place other = is_send ? Place{message->target, message->recv} : Place{message->source, message->send};
      if (start_of(other) != kNotYet) meet({message->source, message->send}, {message->target, message->recv});
      return;
    }
    const workload::ChannelKey& key = matching_.lines(place.rank).channels[matching_.place(place.rank, place.activity).line].key;
    const std::uint32_t peer = matching_.peer(place.rank, place.activity);
    const workload::Envelope envelope{is_send ? peer : place.rank, is_send ? place.rank : peer, key.role, key.tag};
    const std::uint64_t handle = std::uint64_t{place.rank} << 32 | place.activity;
    const std::uint64_t partner = is_send ? matcher_.message_arrives(handle, envelope) : matcher_.recv_is_posted(handle, envelope);
    if (partner == workload::MessageMatcher::kNobody) return;
    const Place other{static_cast<std::uint32_t>(partner >> 32), static_cast<std::uint32_t>(partner)};
    const Place send = is_send ? place : other, recv = is_send ? other : place;
    const std::int64_t bytes = workload_.program(send.rank).bytes[send.activity];
    state_.schedule.taken.push_back({send.rank, recv.rank, send.activity, recv.activity, bytes});
    meet(send, recv);
  }

  [[nodiscard]] bool is_eager(Place send) const { return workload_.program(send.rank).bytes[send.activity] <= eager_limit_bytes_; }

  void meet(Place send, Place recv) {
    const TimePs end = std::max(start_of(send), start_of(recv)) + shorter(duration_of(send), duration_of(recv));
    if (!is_eager(send)) finish(send, end);
    finish(recv, end);
  }

  const workload::Workload& workload_;
  const workload::Matching& matching_;
  const JobPlan& plan_;
  const Column<TimePs>& begins_;
  const std::int64_t eager_limit_bytes_;
  RunState state_;                     // `now`: the latest end so far; slots and streams are not used
  Column<TimePs> shortest_;            // per collective: of the recorded durations so far
  std::vector<bool> has_start_edges_;  // per program
  std::vector<Ready> ready_;
  workload::MessageMatcher matcher_;  // of ranks that take messages as they are posted
  std::vector<std::int64_t> parts_;   // scratch
};

}  // namespace

Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins, std::int64_t eager_limit_bytes) {
  const Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  return JointReplay(*plan, begins, eager_limit_bytes).run();
}

}  // namespace orrery::simulate

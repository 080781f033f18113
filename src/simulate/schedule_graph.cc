#include "simulate/schedule_graph.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.h"

// Two nodes per activity that communicates, its arrival and its transfer, and one for any other. Transfers hang on the
// meeting of all members, dependencies on ends, and slots and communicators on who had them before. With the durations
// of the run the longest path is then the makespan; with edits, others become last.

namespace orrery::simulate {
namespace {

using graph::NodeId;

// While it is built and solved with edits: durations, positions, finishes and slack of nodes; edges as they were added,
// and in their rows.
constexpr std::uint64_t kBytesPerNode = 64, kBytesPerEdge = 44;

class ScheduleGraphMaker {
 public:
  ScheduleGraphMaker(Causes& causes, const JobPlan& plan, const Schedule& schedule)
      : causes_(causes),
        plan_(plan),
        schedule_(schedule),
        executed_(schedule.ranks_with_activities(plan.workload().rank_count())),
        builder_(static_cast<std::uint8_t>(ScheduleEdge::start)) {}

  Result<ScheduleGraph> make() {
    for_activities([&](ActivityPlace place) { add_activity(place); });
    for_activities([&](ActivityPlace place) { add_transfer(place); });
    for_activities([&](ActivityPlace place) {
      add_dependencies(place);
      add_cause(place);
    });
    // Other simulators have their own ideas of slots and communicators; what the engine told is by ours.
    if (!schedule_.causes.empty()) {
      for (const std::uint32_t rank : executed_) add_order(rank);
    }
    Result<graph::Graph> graph = std::move(builder_).build();
    if (!graph) return graph.error();
    return ScheduleGraph{std::move(*graph), std::move(end_nodes_)};
  }

 private:
  /// When the last of a collective's members arrives.
  struct Meeting {
    NodeId node;
    TimePs time;
  };

  template <typename Visit>
  void for_activities(const Visit& visit) const {
    for (const std::uint32_t rank : executed_) {
      for (std::uint32_t i = 0; i < plan_.of_rank(rank).size(); ++i) visit(ActivityPlace{rank, i});
    }
  }

  [[nodiscard]] bool communicates(ActivityPlace place) const {
    return is_communication(plan_.of_rank(place.rank).activities[place.activity].resource);
  }
  [[nodiscard]] NodeId arrival_node(ActivityPlace place) const { return static_cast<NodeId>(causes_.number(place)); }
  [[nodiscard]] NodeId end_node(ActivityPlace place) const { return end_nodes_[causes_.number(place)]; }

  // An eager send waits for nobody and ends by itself.
  [[nodiscard]] bool has_transfer(ActivityPlace place) const {
    if (!communicates(place)) return false;
    return plan_.of_rank(place.rank).activities[place.activity].resource != Resource::send || !causes_.is_eager(place);
  }

  void add_activity(ActivityPlace place) {
    const NodeId node = builder_.add_node(has_transfer(place) ? 0 : causes_.end_of(place) - causes_.start_of(place));
    end_nodes_.push_back(node);
  }

  void add_transfer(ActivityPlace place) {
    if (!has_transfer(place)) return;
    if (is_collective(place)) {
      const Meeting meeting = meeting_of(place);
      if (meeting.time <= causes_.end_of(place)) {
        const NodeId transfer = builder_.add_node(causes_.end_of(place) - meeting.time);
        connect(meeting.node, transfer, ScheduleEdge::arrival);
        end_nodes_[causes_.number(place)] = transfer;
        return;
      }
      // In other simulators a member may end before the last has come, and hangs on those that came until then.
    }
    const ActivityPlace last = causes_.last_arrival(place);
    const TimePs end = causes_.end_of(place);
    // A partner that has ended before is an eager send: its message moves from then on, not from when the send was
    // ready. In a replay such a send may also last longer than its message was under way: then its start is what
    // counts, and not the end of its node.
    const bool after_end = last != place && !is_collective(place) && causes_.end_of(last) < end;
    const TimePs partner_ready = after_end ? causes_.end_of(last) : causes_.start_of(last);
    const NodeId transfer = builder_.add_node(end - std::max(causes_.start_of(place), partner_ready));
    connect(arrival_node(place), transfer, ScheduleEdge::arrival);
    if (after_end) connect(end_node(last), transfer, ScheduleEdge::arrival);
    else if (last != place)
      connect(arrival_node(last), transfer, has_transfer(last) ? ScheduleEdge::arrival : ScheduleEdge::start);
    end_nodes_[causes_.number(place)] = transfer;
  }

  [[nodiscard]] bool is_collective(ActivityPlace place) const {
    return plan_.of_rank(place.rank).activities[place.activity].resource == Resource::collective;
  }

  // All members are waited for, not only who was last in this run: with edits it may be another. Where one rank stands
  // for others, groups whose members are of the same classes meet in one node: the activity of the first member tells
  // which.
  Meeting meeting_of(ActivityPlace place) {
    const Communicator& communicator = plan_.matching.communicator(place.rank, place.activity);
    const std::uint32_t number = plan_.matching.place(place.rank, place.activity).place;
    const auto member = [&](std::uint32_t rank) {
      return causes_.number({rank, plan_.matching.activity_of(communicator, rank, number)});
    };
    const auto [found, fresh] = meetings_.try_emplace(member(communicator.ranks[0]));
    if (!fresh) return found->second;
    found->second = {builder_.add_node(), 0};
    members_.clear();
    for (const std::uint32_t rank : communicator.ranks) members_.push_back(member(rank));
    std::sort(members_.begin(), members_.end());
    members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
    for (const std::uint64_t activity : members_) {
      found->second.time = std::max(found->second.time, schedule_.start_ps[activity]);
      connect(static_cast<NodeId>(activity), found->second.node, ScheduleEdge::arrival);
    }
    return found->second;
  }

  void add_dependencies(ActivityPlace place) {
    const graph::Graph& dependencies = plan_.workload().program(place.rank).dependencies;
    for (const graph::Slot slot : dependencies.incoming(place.activity)) {
      const ActivityPlace source{place.rank, dependencies.source(slot)};
      const auto type = static_cast<ScheduleEdge>(dependencies.type(slot));
      connect(type == ScheduleEdge::start ? arrival_node(source) : end_node(source), arrival_node(place), type);
    }
  }

  void add_cause(ActivityPlace place) {
    const TimePs start = causes_.start_of(place);
    if (start == 0) return;
    const Cause cause = causes_.of_start(place);
    if (cause.kind == CauseKind::slot) return connect(end_node(cause.place), arrival_node(place), ScheduleEdge::slot);
    if (cause.kind == CauseKind::turn) return connect(end_node(cause.place), arrival_node(place), ScheduleEdge::turn);
    if (cause.kind != CauseKind::begin) return;
    // Ranks of a replay begin when they did: that is no work of anybody, and a node without duration stands for it.
    if (origin_ == graph::kNoNode) origin_ = builder_.add_node();
    connect(origin_, arrival_node(place), ScheduleEdge::begin, start);
  }

  // Slots and communicators serve in the order in which they did, also those who did not wait: with edits they might
  // have to. What started at the same moment keeps no order, so that nothing goes round in circles: only what takes no
  // time can be before another one at one moment.
  void add_order(std::uint32_t rank) {
    const ProgramPlan& program = plan_.of_rank(rank);
    for (std::size_t kind = 0; kind < kSlotKinds; ++kind) add_slot_order(rank, static_cast<Resource>(kind));
    for (const workload::Stream& stream : program.streams()) {
      for (std::size_t i = 1; i < stream.activities.size() && !plan_.is_replay; ++i)
        add_after({rank, stream.activities[i - 1]}, {rank, stream.activities[i]}, ScheduleEdge::turn);
    }
  }

  void add_slot_order(std::uint32_t rank, Resource resource) {
    const ProgramPlan& program = plan_.of_rank(rank);
    const auto start_of = [&](std::uint32_t i) { return causes_.start_of({rank, i}); };
    const auto end_of = [&](std::uint32_t i) { return causes_.end_of({rank, i}); };
    std::vector<std::uint32_t> users;
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      if (program.activities[i].resource == resource && end_of(i) > start_of(i)) users.push_back(i);
    }
    std::sort(users.begin(), users.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(start_of(a), end_of(a), a) < std::tuple(start_of(b), end_of(b), b);
    });
    const auto frees_later = [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(end_of(a), a) > std::tuple(end_of(b), b);
    };
    std::vector<std::uint32_t> last_users;  // per slot so far, a heap: the first to be free is on top
    for (const std::uint32_t user : users) {
      if (!last_users.empty() && end_of(last_users.front()) <= start_of(user)) {
        std::pop_heap(last_users.begin(), last_users.end(), frees_later);
        add_after({rank, last_users.back()}, {rank, user}, ScheduleEdge::slot);
        last_users.back() = user;
      } else {
        last_users.push_back(user);
      }
      std::push_heap(last_users.begin(), last_users.end(), frees_later);
    }
  }

  void add_after(ActivityPlace before, ActivityPlace place, ScheduleEdge type) {
    if (causes_.start_of(before) < causes_.start_of(place)) connect(end_node(before), arrival_node(place), type);
  }

  void connect(NodeId from, NodeId to, ScheduleEdge type, TimePs weight = 0) {
    builder_.add_edge(from, to, static_cast<std::uint8_t>(type), weight);
  }

  Causes& causes_;
  const JobPlan& plan_;
  const Schedule& schedule_;
  std::vector<std::uint32_t> executed_;
  graph::GraphBuilder builder_;
  std::unordered_map<std::uint64_t, Meeting> meetings_;  // by the activity of the first member
  std::vector<std::uint64_t> members_;                   // scratch
  Column<NodeId> end_nodes_;
  NodeId origin_ = graph::kNoNode;
};

}  // namespace

std::uint64_t schedule_graph_bytes(const JobPlan& plan, const Schedule& schedule) {
  std::uint64_t nodes = 0, edges = 0;
  for (const std::uint32_t rank : schedule.ranks_with_activities(plan.workload().rank_count())) {
    const ProgramPlan& program = plan.of_rank(rank);
    nodes += 2 * program.size();
    edges += plan.workload().program(rank).dependencies.edge_count() + 2 * program.size();
  }
  return nodes * kBytesPerNode + edges * kBytesPerEdge;
}

Result<ScheduleGraph> schedule_graph(Causes& causes, const JobPlan& plan, const Schedule& schedule) {
  // Each activity may have a transfer; past that numbers of nodes would wrap before build() can say so.
  if (schedule.activity_count() >= graph::kNoNode / 2)
    return Error{"the schedule has more activities than a graph can hold"};
  return ScheduleGraphMaker(causes, plan, schedule).make();
}

}  // namespace orrery::simulate

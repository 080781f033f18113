#include "simulate/schedule_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/builder.h"

namespace orrery::simulate {
namespace {

using graph::NodeId;

class ScheduleGraphMaker {
 public:
  ScheduleGraphMaker(Causes& causes, const JobPlan& plan, const Schedule& schedule)
      : causes_(causes), plan_(plan), schedule_(schedule), builder_(static_cast<std::uint8_t>(ScheduleEdge::start)) {}

  Result<ScheduleGraph> make() {
    for_activities([&](ActivityPlace place) { add_activity(place); });
    for_activities([&](ActivityPlace place) { add_transfer(place); });
    for_activities([&](ActivityPlace place) {
      add_dependencies(place);
      add_cause(place);
    });
    Result<graph::Graph> graph = std::move(builder_).build();
    if (!graph) return graph.error();
    return ScheduleGraph{std::move(*graph), std::move(end_nodes_)};
  }

 private:
  template <typename Visit>
  void for_activities(const Visit& visit) const {
    const auto visit_rank = [&](std::uint32_t rank) {
      for (std::uint32_t i = 0; i < plan_.of_rank(rank).size(); ++i) visit(ActivityPlace{rank, i});
    };
    if (schedule_.class_of_rank.empty()) {
      for (std::uint32_t rank = 0; rank < plan_.workload().rank_count(); ++rank) visit_rank(rank);
    } else {
      for (const std::uint32_t rank : schedule_.executed_ranks) visit_rank(rank);
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
    const ActivityPlace last = causes_.last_arrival(place);
    const TimePs end = causes_.end_of(place);
    // A partner that has ended before is an eager send: its message moves from then on, not from when the send was ready. In a replay such a
    // send may also last longer than its message was under way: then its start is what counts, and not the end of its node.
    const bool after_end = last != place && causes_.end_of(last) < end;
    const TimePs partner_ready = after_end ? causes_.end_of(last) : causes_.start_of(last);
    const NodeId transfer = builder_.add_node(end - std::max(causes_.start_of(place), partner_ready));
    connect(arrival_node(place), transfer, ScheduleEdge::arrival);
    if (after_end) connect(end_node(last), transfer, ScheduleEdge::arrival);
    else if (last != place) connect(arrival_node(last), transfer, has_transfer(last) ? ScheduleEdge::arrival : ScheduleEdge::start);
    end_nodes_[causes_.number(place)] = transfer;
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

  void connect(NodeId from, NodeId to, ScheduleEdge type, TimePs weight = 0) {
    builder_.add_edge(from, to, static_cast<std::uint8_t>(type), weight);
  }

  Causes& causes_;
  const JobPlan& plan_;
  const Schedule& schedule_;
  graph::GraphBuilder builder_;
  Column<NodeId> end_nodes_;
  NodeId origin_ = graph::kNoNode;
};

}  // namespace

Result<ScheduleGraph> schedule_graph(Causes& causes, const JobPlan& plan, const Schedule& schedule) {
  // Each activity may have a transfer; past that numbers of nodes would wrap before build() can say so.
  if (schedule.activity_count() >= graph::kNoNode / 2) return Error{"the schedule has more activities than a graph can hold"};
  return ScheduleGraphMaker(causes, plan, schedule).make();
}

}  // namespace orrery::simulate

#include "analyze/blame/job_waits.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::EdgeKind;
using graph::kNoSlot;
using graph::NodeId;
using graph::Slot;

graph::Solution solve_alone(const CausalGraph& job) {
  graph::Edits edits(job.graph);
  leave_alone(job, edits);
  return graph::solve(edits, job.end);
}

constexpr std::size_t kNodesAtOnce = std::size_t{1} << 16;

/// Looked up once per node: histories pass the same moments again and again. In topological order, since there sources
/// lie near.
Column<Slot> bindings(const graph::Solution& solution) {
  const graph::Graph& graph = solution.graph();
  const std::size_t nodes = graph.node_count();
  Column<Slot> binding(nodes);
  parallel_for((nodes + kNodesAtOnce - 1) / kNodesAtOnce, [&](std::size_t chunk) {
    const std::size_t end = std::min(nodes, (chunk + 1) * kNodesAtOnce);
    for (std::size_t p = chunk * kNodesAtOnce; p < end; ++p) {
      const NodeId node = graph.node_at(static_cast<graph::Position>(p));
      binding[node] = solution.chosen(node);
    }
  });
  return binding;
}

}  // namespace

const char* identifier(WaitState state) {
  static constexpr const char* kNames[kWaitStates] = {"late_arrival", "late_root", "late_member", "late_sender",
                                                      "late_receiver"};
  return kNames[static_cast<std::size_t>(state)];
}

WaitState state_of(const CausalGraph& job, const Wait& wait) {
  const causal::JobOperation& operation = job.operations[job.parts[wait.part].operation];
  switch (operation.ordering) {
    case match::Ordering::message:
      return wait.culprit_part == operation.first ? WaitState::late_sender : WaitState::late_receiver;
    case match::Ordering::neighbours: return WaitState::late_sender;
    case match::Ordering::root_first:
    case match::Ordering::root_last:
      return wait.culprit_part == operation.root ? WaitState::late_root : WaitState::late_member;
    case match::Ordering::everybody_waits: break;
  }
  return WaitState::late_arrival;
}

void leave_alone(const CausalGraph& job, graph::Edits& edits) {
  // A hub that is done before everything holds nobody: one change for all its members.
  for (NodeId hub = job.first_hub; hub < job.begin; ++hub) edits.set_duration(hub, -graph::kMaxWeightPs);
  for (NodeId ready = job.first_ready; ready < job.first_hub; ++ready) {
    for (const Slot slot : job.graph.incoming(ready)) {
      const NodeId source = job.graph.source(slot);
      // Only what comes from other ranks is let go: a rank's own order stays.
      if (!job.is_hub(source) && job.node_rank[source] != job.node_rank[ready])
        edits.set_weight(slot, -graph::kMaxWeightPs);
    }
  }
}

/// Where a rank's own work was held up.
struct JobWaits::Held {
  NodeId moment;                     ///< from here what happened instead leads to another rank
  NodeId rival_to = graph::kNoNode;  ///< where the edge `rival` leads
  Slot rival = kNoSlot;              ///< what would have held the rank there, had nobody else: it bound when alone
  TimePs time = 0;
};

/// How far a rank's way back has come.
struct JobWaits::Walk {
  std::uint32_t place;
  NodeId node;        ///< kNoNode: at the begin
  Held in_operation;  ///< the ready moment was held, and its arrival is still to come; no time: none
};

JobWaits::JobWaits(const CausalGraph& job)
    : job_(job), together_(graph::solve(job.graph, job.end)), alone_(solve_alone(job)), binding_(bindings(together_)) {}

TimePs JobWaits::raw() const {
  TimePs sum = 0;
  for (std::uint32_t p = 0; p < job_.parts.size(); ++p)
    sum += together_.finish(job_.ready(p)) - together_.finish(job_.parts[p].arrival);
  return sum;
}

std::uint32_t JobWaits::part_with(std::uint32_t operation, NodeId arrival) const {
  const causal::JobOperation& op = job_.operations[operation];
  const auto begin = job_.parts.begin() + op.first, end = begin + op.count;
  // Parts are in the order of ranks, of which one may have several; but for messages, where the sender comes first.
  auto part = op.ordering == match::Ordering::message
                  ? begin
                  : std::lower_bound(begin, end, job_.node_rank[arrival],
                                     [](const causal::JobPart& p, std::uint32_t rank) { return p.rank < rank; });
  while (part != end && part->progress != arrival) ++part;
  assert(part != end);
  return static_cast<std::uint32_t>(part - job_.parts.begin());
}

Wait JobWaits::find_culprit(std::uint32_t place, const Held& held) const {
  // Binding edges that all stay with the rank would bind it alone, too, and there would be no rise: so the walk ends at
  // another's arrival.
  NodeId node = held.moment;
  for (;;) {
    const Slot slot = binding_[node];
    assert(slot != kNoSlot);
    NodeId from = job_.graph.source(slot);
    if (job_.kind(slot) == EdgeKind::arrival && job_.is_ready(node)) {
      // Everybody's arrivals may come by way of hubs, which stand for the last of them.
      while (job_.is_hub(from)) from = job_.graph.source(binding_[from]);
      if (job_.node_rank[from] != place) {
        Wait wait{.waiter = place, .culprit = job_.node_rank[from], .part = job_.part_of(node), .time = held.time};
        wait.culprit_part = part_with(job_.parts[wait.part].operation, from);
        wait.band = job_.parts[wait.part].uncertainty + job_.parts[wait.culprit_part].uncertainty;
        return wait;
      }
    }
    node = from;
  }
}

void JobWaits::report(std::uint32_t place, const Held& held, RootCauses& root_causes, const Visit& visit) const {
  const Wait wait = find_culprit(place, held);
  if (!wait.is_resolved()) return visit(wait, {});
  const graph::NodeId arrival = job_.parts[wait.culprit_part].progress;
  const std::span<const Cause> causes = root_causes.find(arrival, held.rival, held.rival_to, wait.time);
  if (!causes.empty()) return visit(wait, causes);
  // The culprit did nothing more than the rival: that it took part at all is what there is to say.
  const causal::JobOperation& operation = job_.operations[job_.parts[wait.part].operation];
  const Cause cause{wait.culprit, {EdgeKind::communication, operation.name}, wait.time};
  visit(wait, std::span(&cause, 1));
}

void JobWaits::step_back(Walk& walk, RootCauses& root_causes, const Visit& visit) const {
  Held& in_operation = walk.in_operation;
  const Slot slot = alone_.chosen(walk.node);
  if (slot == kNoSlot) {
    if (in_operation.time > 0) report(walk.place, in_operation, root_causes, visit);
    walk.node = graph::kNoNode;
    return;
  }
  const NodeId node = std::exchange(walk.node, job_.graph.source(slot));
  const TimePs rise = late(node) - late(walk.node);
  assert(rise >= 0);
  if (in_operation.time > 0) {
    // Held on the way to an operation, and in it: one wait, which the rank would have had less of only by arriving
    // sooner.
    if (rise > 0) in_operation = {in_operation.moment, node, slot, in_operation.time + rise};
    report(walk.place, in_operation, root_causes, visit);
    in_operation.time = 0;
  } else if (rise > 0 && job_.is_ready(node)) {
    in_operation = {node, node, slot, rise};
  } else if (rise > 0) {
    report(walk.place, {node, node, slot, rise}, root_causes, visit);
  }
}

void JobWaits::visit(std::uint32_t first, std::uint32_t end, const Visit& visit) const {
  RootCauses root_causes(job_, binding_);
  std::vector<Walk> walks;
  for (std::uint32_t place = first; place < end; ++place) walks.push_back({place, job_.ranks[place].end, {}});
  // All ranks pass a stretch of the topological order before any goes on to the one before it: what they did at about
  // the same time lies together there, and so do the histories of whom they waited for.
  for (std::size_t block = job_.graph.node_count() / kNodesAtOnce + 1; block-- > 0;) {
    const std::size_t first_position = block * kNodesAtOnce;
    for (Walk& walk : walks) {
      while (walk.node != graph::kNoNode && job_.graph.position(walk.node) >= first_position)
        step_back(walk, root_causes, visit);
    }
  }
}

}  // namespace orrery::analyze

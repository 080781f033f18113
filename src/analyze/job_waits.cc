#include "analyze/job_waits.h"

#include <algorithm>
#include <cassert>

#include "base/parallel.h"

namespace orrery::analyze {
namespace {

using graph::kNoSlot;
using graph::NodeId;
using graph::Slot;
using link::EdgeKind;
using link::JobGraph;

graph::Solution solve_alone(const JobGraph& job) {
  graph::Edits edits(job.graph);
  leave_alone(job, edits);
  return graph::solve(edits, job.end);
}

constexpr std::size_t kNodesAtOnce = std::size_t{1} << 16;

/// Looked up once per node: histories pass the same moments again and again. In topological order, since there sources lie near.
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
  static constexpr const char* kNames[kWaitStates] = {"late_arrival", "late_root", "late_member", "late_sender", "late_receiver"};
  return kNames[static_cast<std::size_t>(state)];
}

WaitState state_of(const JobGraph& job, const Wait& wait) {
  const link::JobOperation& operation = job.operations[job.parts[wait.part].operation];
  switch (operation.ordering) {
    case match::Ordering::message: return wait.culprit_part == operation.first ? WaitState::late_sender : WaitState::late_receiver;
    case match::Ordering::neighbours: return WaitState::late_sender;
    case match::Ordering::root_first:
    case match::Ordering::root_last: return wait.culprit_part == operation.root ? WaitState::late_root : WaitState::late_member;
    case match::Ordering::everybody_waits: break;
  }
  return WaitState::late_arrival;
}

void leave_alone(const JobGraph& job, graph::Edits& edits) {
  // A hub that is done before everything holds nobody: one change for all its members.
  for (NodeId hub = job.first_hub; hub < job.begin; ++hub) edits.set_duration(hub, -graph::kMaxWeightPs);
  for (NodeId ready = job.first_ready; ready < job.first_hub; ++ready) {
    for (const Slot slot : job.graph.incoming(ready)) {
      const NodeId source = job.graph.source(slot);
      if (!job.is_hub(source) && job.node_rank[source] != job.node_rank[ready]) edits.set_weight(slot, -graph::kMaxWeightPs);
    }
  }
}

/// Where a rank's own work was held up.
struct JobWaits::Held {
  NodeId moment;    ///< from here what happened instead leads to another rank
  NodeId rival_to;  ///< where the edge `rival` leads
  Slot rival;       ///< what would have held the rank there, had nobody else: it bound when alone
  TimePs time;
};

JobWaits::JobWaits(const JobGraph& job)
    : job_(job), together_(graph::solve(job.graph, job.end)), alone_(solve_alone(job)), binding_(bindings(together_)) {}

TimePs JobWaits::raw() const {
  TimePs sum = 0;
  for (std::uint32_t p = 0; p < job_.parts.size(); ++p) sum += together_.finish(job_.ready(p)) - together_.finish(job_.parts[p].arrival);
  return sum;
}

std::uint32_t JobWaits::part_at(std::uint32_t operation, std::uint32_t rank) const {
  const link::JobOperation& op = job_.operations[operation];
  const auto first = job_.parts.begin() + op.first, end = first + op.count;
  // Parts are in the order of ranks, but for messages, where the sender comes first.
  const auto at = op.ordering == match::Ordering::message
                      ? std::find_if(first, end, [&](const link::JobPart& part) { return part.rank == rank; })
                      : std::lower_bound(first, end, rank, [](const link::JobPart& part, std::uint32_t r) { return part.rank < r; });
  assert(at != end && at->rank == rank);
  return static_cast<std::uint32_t>(at - job_.parts.begin());
}

Wait JobWaits::find_culprit(std::uint32_t place, const Held& held) const {
  // Binding edges that all stay with the rank would bind it alone, too, and there would be no rise: so the walk ends at another's arrival.
  NodeId node = held.moment;
  for (;;) {
    const Slot slot = binding_[node];
    assert(slot != kNoSlot);
    NodeId from = job_.graph.source(slot);
    if (job_.kind(slot) == EdgeKind::arrival && job_.is_ready(node)) {
      // Everybody's arrivals may come by way of a hub, which stands for the last of them.
      if (job_.is_hub(from)) from = job_.graph.source(binding_[from]);
      if (job_.node_rank[from] != place) {
        Wait wait{.waiter = place, .culprit = job_.node_rank[from], .part = job_.part_of(node), .time = held.time};
        wait.culprit_part = part_at(job_.parts[wait.part].operation, wait.culprit);
        wait.band = job_.parts[wait.part].uncertainty + job_.parts[wait.culprit_part].uncertainty;
        return wait;
      }
    }
    node = from;
  }
}

void JobWaits::visit(std::uint32_t place, const Visit& visit) const {
  RootCauses root_causes(job_, binding_);
  const auto report = [&](const Held& held) {
    const Wait wait = find_culprit(place, held);
    if (!wait.is_resolved()) return visit(wait, {});
    const std::span<const Cause> causes = root_causes.find(job_.parts[wait.culprit_part].arrival, held.rival, held.rival_to, wait.time);
    if (!causes.empty()) return visit(wait, causes);
    // The culprit did nothing more than the rival: that it took part at all is what there is to say.
    const link::JobOperation& operation = job_.operations[job_.parts[wait.part].operation];
    const Cause cause{wait.culprit, {EdgeKind::communication, operation.name}, wait.time};
    visit(wait, std::span(&cause, 1));
  };
  Held in_operation{graph::kNoNode, graph::kNoNode, kNoSlot, 0};  // the ready moment was held; the arrival before it is still to come
  for (NodeId node = job_.ranks[place].end;;) {
    const Slot slot = alone_.chosen(node);
    if (slot == kNoSlot) break;
    const NodeId from = job_.graph.source(slot);
    const TimePs rise = late(node) - late(from);
    assert(rise >= 0);
    if (in_operation.time > 0) {
      // Held on the way to an operation, and in it: one wait, which the rank would have had less of only by arriving sooner.
      if (rise > 0) in_operation = {in_operation.moment, node, slot, in_operation.time + rise};
      report(in_operation);
      in_operation.time = 0;
    } else if (rise > 0 && job_.is_ready(node)) {
      in_operation = {node, node, slot, rise};
    } else if (rise > 0) {
      report({node, node, slot, rise});
    }
    node = from;
  }
  if (in_operation.time > 0) report(in_operation);
}

}  // namespace orrery::analyze

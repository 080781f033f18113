#include "analyze/whatif/job_moves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analyze/path/device_works.h"
#include "base/statistics.h"
#include "graph/builder.h"
#include "graph/solve_many.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::EdgeKind;
using causal::kNoPart;
using graph::EdgeId;
using graph::NodeId;
using graph::Slot;

/// An edge that is not there, until it is given a weight.
constexpr TimePs kAbsent = -graph::kMaxWeightPs;
constexpr std::size_t kTogether = 8;  // what solve_many does in one sweep
constexpr std::uint8_t kOrder = static_cast<std::uint8_t>(EdgeKind::order);

Result<TimePs> find_data_bound(const CausalGraph& job, const DeviceWorks& device) {
  graph::GraphBuilder builder;
  builder.add_nodes(job.graph.node_count());
  for (Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (job.kind(slot) == EdgeKind::arrival || job.is_transfer(slot))
      builder.add_edge(job.graph.source(slot), job.graph.target(slot), job.graph.type(slot), job.graph.weight(slot));
  }
  for (const DeviceWork& work : device.works) {
    if (work.part == kNoPart) builder.add_edge(work.start, work.end, kOrder, job.time[work.end] - job.time[work.start]);
    for (const std::uint32_t writer : work.writers) builder.add_edge(device.works[writer].end, work.start, kOrder, 0);
    builder.add_edge(work.end, job.end, kOrder, 0);
  }
  for (const causal::JobPart& part : job.parts) builder.add_edge(part.end, job.end, kOrder, 0);
  const Result<graph::Graph> graph = std::move(builder).build();
  if (!graph) return graph.error();
  return graph::solve(*graph, job.end).length();
}

/// Time in which a device runs at least one kernel, of the busiest.
TimePs busiest_device(const CausalGraph& job, const DeviceWorks& device) {
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::pair<TimePs, TimePs>>> kernels;
  for (const DeviceWork& work : device.works) {
    if (work.kind == EdgeKind::kernel)
      kernels[{work.rank, job.owners[work.owner].device}].push_back({job.time[work.start], job.time[work.end]});
  }
  TimePs busiest = 0;
  for (auto& [where, intervals] : kernels) {
    std::sort(intervals.begin(), intervals.end());
    TimePs busy = 0, until = 0;
    for (const auto& [start, end] : intervals) {
      busy += std::max<TimePs>(end - std::max(start, until), 0);
      until = std::max(until, end);
    }
    busiest = std::max(busiest, busy);
  }
  return busiest;
}

/// The delay that is usual if nothing else holds work up: the tenth percentile, as for a rank's graph
/// (causal/device/device_binding.h).
TimePs usual_delay(const CausalGraph& job, std::uint32_t rank, EdgeKind kind) {
  std::vector<TimePs> delays;
  const NodeId last = rank + 1 < job.ranks.size() ? job.ranks[rank + 1].first_node : job.first_ready;
  for (NodeId node = job.ranks[rank].first_node; node < last; ++node) {
    for (const Slot slot : job.graph.incoming(node)) {
      if (job.kind(slot) == kind) delays.push_back(job.graph.weight(slot));
    }
  }
  return tenth_percentile(delays);
}

/// The job's graph with all edges that any move may need, absent until it is made.
class MovableGraph {
 public:
  MovableGraph(const CausalGraph& job, const DeviceWorks& device)
      : job_(job), device_(device), readers_(device.works.size()) {
    for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
      launch_delay_.push_back(usual_delay(job, rank, EdgeKind::launch_delay));
      const TimePs wait = usual_delay(job, rank, EdgeKind::stream_wait);
      wait_delay_.push_back(wait > 0 ? wait : usual_delay(job, rank, EdgeKind::kernel_gap));
    }
    for (std::uint32_t i = 0; i < device.works.size(); ++i) {
      for (const std::uint32_t writer : device.works[i].writers) readers_[writer].push_back(i);
    }
  }

  Result<std::vector<ReorderMove>> solve_moves() {
    find_moves();
    builder_.add_nodes(job_.graph.node_count());
    for (Slot slot = 0; slot < job_.graph.edge_count(); ++slot)
      builder_.add_edge(job_.graph.source(slot), job_.graph.target(slot), job_.graph.type(slot),
                        job_.graph.weight(slot));
    for (Planned& plan : plans_) {
      if (plan.move.move == MoveKind::launch_earlier) plan_launches(plan);
      else plan_streams(plan);
    }
    const Result<graph::Graph> graph = std::move(builder_).build();
    if (!graph) return graph.error();
    return solve(*graph);
  }

 private:
  struct Change {
    EdgeId edge;
    TimePs weight;
  };
  struct Planned {
    ReorderMove move;
    std::vector<std::uint32_t> works;
    std::vector<Change> changes;
  };

  // From the return of its call, or from its entry if the call was still at it.
  [[nodiscard]] std::optional<Slot> launch_edge(const DeviceWork& work) const {
    for (const Slot slot : job_.graph.incoming(work.start)) {
      if (job_.kind(slot) == EdgeKind::launch_delay || job_.kind(slot) == EdgeKind::cpu_runtime) return slot;
    }
    return std::nullopt;
  }

  void find_moves() {
    std::map<std::tuple<MoveKind, std::string_view, std::string_view>, Planned>
        found;  // by text, which is the same for any order of files
    for (std::uint32_t i = 0; i < device_.works.size(); ++i) {
      const DeviceWork& work = device_.works[i];
      const bool communicates = work.kind == EdgeKind::communication;
      // Without a producer nothing says when it could have been asked for; without a launch, when a kernel could have
      // started.
      const bool movable =
          communicates ? !work.writers.empty() : work.kind == EdgeKind::kernel && launch_edge(work).has_value();
      if (!work.is_known || !movable) continue;
      ReorderMove move{.move = communicates ? MoveKind::launch_earlier : MoveKind::own_stream,
                       .name = job_.class_name[work.owner]};
      if (work.part != kNoPart) move.what = job_.operations[job_.parts[work.part].operation].what;
      Planned& plan = found[{move.move, job_.strings.text(move.name), job_.strings.text(move.what)}];
      plan.move = move;
      plan.works.push_back(i);
    }
    for (auto& [key, plan] : found) plans_.push_back(std::move(plan));
  }

  /// An edge that leads forward, of this weight once the move is made.
  void add(Planned& plan, NodeId from, NodeId to, TimePs weight) {
    if (job_.graph.position(from) >= job_.graph.position(to)) return;
    plan.changes.push_back({builder_.add_edge(from, to, kOrder, kAbsent), weight});
  }

  // Edges of the job's graph were added first, in the order of their slots.
  static void remove(Planned& plan, Slot slot) { plan.changes.push_back({slot, kAbsent}); }

  void remove_causes(Planned& plan, const DeviceWork& work, std::initializer_list<EdgeKind> kinds) {
    for (const Slot slot : job_.graph.incoming(work.start)) {
      if (std::find(kinds.begin(), kinds.end(), job_.kind(slot)) != kinds.end()) remove(plan, slot);
    }
  }

  void add_writers(Planned& plan, const DeviceWork& work) {
    for (const std::uint32_t writer : work.writers)
      add(plan, device_.works[writer].end, work.start, wait_delay_[work.rank]);
  }

  void plan_launches(Planned& plan) {
    for (const std::uint32_t i : plan.works) {
      const DeviceWork& work = device_.works[i];
      remove_causes(plan, work,
                    {EdgeKind::launch_delay, EdgeKind::cpu_runtime, EdgeKind::stream_wait, EdgeKind::idle_device});
      add_writers(plan, work);
      const auto launched = [&](std::uint32_t a, std::uint32_t b) {
        return job_.owners[device_.works[a].owner].launch_start < job_.owners[device_.works[b].owner].launch_start;
      };
      const std::uint32_t last = *std::max_element(work.writers.begin(), work.writers.end(), launched);
      // A producer that was launched before the window holds nobody up in it.
      if (const auto launch = launch_edge(device_.works[last])) {
        // A call just like the producer's would follow that one.
        const NodeId launched_at = job_.graph.source(*launch);
        const TimePs left = job_.kind(*launch) == EdgeKind::cpu_runtime ? call_length(launched_at) : 0;
        add(plan, launched_at, work.start, left + call_length(launched_at) + launch_delay_[work.rank]);
      }
    }
    plan.move.count = plan.works.size();
  }

  /// Of the runtime call that is left at this moment, or else entered.
  [[nodiscard]] TimePs call_length(NodeId moment) const {
    TimePs length = 0;
    for (const Slot slot : job_.graph.incoming(moment)) {
      if (job_.kind(slot) == EdgeKind::cpu_runtime) length = std::max(length, job_.graph.weight(slot));
    }
    if (length > 0) return length;
    for (const graph::OutgoingEdge& edge : job_.graph.outgoing(moment)) {
      if (job_.kind(edge.slot) == EdgeKind::cpu_runtime) length = std::max(length, job_.graph.weight(edge.slot));
    }
    return length;
  }

  void plan_streams(Planned& plan) {
    is_moved_.assign(device_.works.size(), false);
    for (const std::uint32_t i : plan.works) is_moved_[i] = true;
    for (const std::uint32_t i : plan.works) {
      remove_causes(plan, device_.works[i], {EdgeKind::kernel_gap, EdgeKind::stream_wait, EdgeKind::idle_device});
      add_writers(plan, device_.works[i]);
    }
    // Whoever reads it waits for it, wherever that runs.
    for (const std::uint32_t i : plan.works) {
      for (const std::uint32_t reader : readers_[i])
        add(plan, device_.works[i].end, device_.works[reader].start, wait_delay_[device_.works[reader].rank]);
    }
    for (const std::vector<std::uint32_t>& stream : device_.streams) close_gaps(plan, stream);
    plan.move.count = plan.works.size();
  }

  /// The stream goes on without what is moved: what came behind it waits for what came before it.
  void close_gaps(Planned& plan, const std::vector<std::uint32_t>& stream) {
    std::optional<std::uint32_t> before;
    std::vector<std::uint32_t> moved;  // since some work that nothing is known about, or that the host waited for
    bool behind_moved = false;
    for (const std::uint32_t i : stream) {
      const DeviceWork& work = device_.works[i];
      if (is_moved_[i]) {
        moved.push_back(i);
        behind_moved = true;
      } else {
        if (behind_moved) follow(plan, before, work);
        // It may read anything that ran before it.
        if (!work.is_known) wait_for_all(plan, moved, work);
        before = i;
        behind_moved = false;
      }
      hold_host(plan, moved, work);
    }
  }

  void follow(Planned& plan, const std::optional<std::uint32_t>& before, const DeviceWork& work) {
    TimePs gap = wait_delay_[work.rank];
    for (const Slot slot : job_.graph.incoming(work.start)) {
      if (job_.kind(slot) != EdgeKind::kernel_gap) continue;
      gap = job_.graph.weight(slot);
      remove(plan, slot);
    }
    if (before) add(plan, device_.works[*before].end, work.start, gap);
  }

  /// A host that waits for a stream waits for what was moved off it, too.
  void hold_host(Planned& plan, std::vector<std::uint32_t>& moved, const DeviceWork& work) {
    if (moved.empty()) return;
    bool awaited = false;
    for (const graph::OutgoingEdge& edge : job_.graph.outgoing(work.end)) {
      if (job_.kind(edge.slot) != EdgeKind::sync_return) continue;
      awaited = true;
      for (const std::uint32_t i : moved)
        add(plan, device_.works[i].end, job_.graph.node_at(edge.target_position), job_.graph.weight(edge.slot));
    }
    if (awaited) moved.clear();
  }

  /// What comes behind `work` waits for it, and so for these.
  void wait_for_all(Planned& plan, std::vector<std::uint32_t>& moved, const DeviceWork& work) {
    for (const std::uint32_t i : moved) add(plan, device_.works[i].end, work.start, wait_delay_[work.rank]);
    moved.clear();
  }

  std::vector<ReorderMove> solve(const graph::Graph& graph) const {
    const TimePs before = graph::solve(graph, job_.end).length();
    std::vector<ReorderMove> moves;
    for (std::size_t first = 0; first < plans_.size(); first += kTogether) {
      std::vector<graph::Edits> scenarios;
      for (std::size_t i = first; i < std::min(first + kTogether, plans_.size()); ++i) {
        graph::Edits& edits = scenarios.emplace_back(graph);
        for (const Change& change : plans_[i].changes) edits.set_weight(graph.slot_of_edge(change.edge), change.weight);
      }
      const std::vector<graph::Solution> solved = graph::solve_many(scenarios, job_.end);
      for (std::size_t i = 0; i < solved.size(); ++i) {
        moves.push_back(plans_[first + i].move);
        moves.back().gain = before - solved[i].length();
      }
    }
    return moves;
  }

  const CausalGraph& job_;
  const DeviceWorks& device_;
  std::vector<TimePs> launch_delay_, wait_delay_;    // by rank
  std::vector<std::vector<std::uint32_t>> readers_;  // by work
  std::vector<Planned> plans_;
  std::vector<bool> is_moved_;  // by work, of the move being planned
  graph::GraphBuilder builder_;
};

}  // namespace

const char* to_string(MoveKind move) { return move == MoveKind::launch_earlier ? "launch earlier" : "own stream"; }

Result<Reorder> find_reorder(const CausalGraph& job, std::span<const causal::RankTensors> tensors, std::size_t top) {
  const DeviceWorks device = find_device_works(job, tensors);
  const Result<TimePs> data_bound = find_data_bound(job, device);
  if (!data_bound) return data_bound.error();
  Result<std::vector<ReorderMove>> moves = MovableGraph(job, device).solve_moves();
  if (!moves) return moves.error();
  std::erase_if(*moves, [](const ReorderMove& move) { return move.gain <= 0; });
  // Equal gains stay in the order of kind and name.
  std::stable_sort(moves->begin(), moves->end(),
                   [](const ReorderMove& a, const ReorderMove& b) { return a.gain > b.gain; });
  moves->resize(std::min(moves->size(), top));
  return Reorder{*data_bound, std::max(*data_bound, busiest_device(job, device)), std::move(*moves)};
}

}  // namespace orrery::analyze

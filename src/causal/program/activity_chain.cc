#include "causal/program/activity_chain.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/sparse_rows.h"
#include "trace/content_order.h"

// Edges are collected with their events, and those that are no work of their own become delays. Then one pass over the
// moments, whose numbers are a topological order: first all activities that end at a moment are gathered, then those
// that begin there are added and depend on them. So every dependency points back, and the chain is in order as made.

namespace orrery::causal {
namespace {

using graph::NodeId;
using trace::EventIndex;

// More than these are gathered in a join, so that many activities that begin at one moment do not each repeat them.
constexpr std::size_t kMostDependencies = 8;
constexpr std::uint32_t kNotAnActivity = ~std::uint32_t{0};

struct Edge {
  NodeId from, to;
  TimePs weight;
  EventIndex event;
  EdgeKind kind;
  bool is_from_entry;  // of a launch: from where its call was entered, or before
};

class ChainMaker {
 public:
  ChainMaker(const RankGraph& step, const trace::Trace& trace, const trace::RankTrace& rank, bool whole_microseconds)
      : step_(step),
        rank_(rank),
        content_(trace, rank),
        whole_microseconds_(whole_microseconds),
        event_seen_(rank.event_count(), 0) {}

  ActivityChain make() {
    collect_edges();
    turn_parts_into_delays();
    launch_from_returns();
    group_edges();
    activity_of_edge_.assign(edges_.size(), kNotAnActivity);
    ready_first_.resize_uninitialized(step_.time.size());
    ready_count_.resize_uninitialized(step_.time.size());
    for (NodeId moment = 0; moment < step_.time.size(); ++moment) {
      gather_what_ends_at(moment);
      begin_activities(moment);
    }
    return std::move(chain_);
  }

 private:
  // A saved RankGraph knows events by their place in the file only.
  EventIndex event_of_owner(std::uint32_t owner) const {
    if (owner == graph::kNoTag) return kNoEvent;
    const std::uint32_t ordinal = step_.owners[owner].ordinal;
    const auto* const at = std::lower_bound(rank_.ordinal.begin(), rank_.ordinal.end(), ordinal);
    return at == rank_.ordinal.end() || *at != ordinal ? kNoEvent : static_cast<EventIndex>(at - rank_.ordinal.begin());
  }

  void collect_edges() {
    const graph::Graph& graph = step_.graph;
    Column<EventIndex> events(step_.owners.size());
    for (std::uint32_t owner = 0; owner < events.size(); ++owner) events[owner] = event_of_owner(owner);
    edges_.reserve(graph.edge_count());
    for (NodeId to = 0; to < step_.time.size(); ++to) {
      for (const graph::Slot slot : graph.incoming(to)) {
        const std::uint32_t owner = graph.edge_tag(slot);
        const NodeId from = graph.source(slot);
        const bool has_owner = owner != graph::kNoTag;
        const EventIndex event = has_owner ? events[owner] : kNoEvent;
        // What the host does for a copy is an activity of the host.
        const bool is_of_host =
            step_.kind(slot) == EdgeKind::memory_copy && event != kNoEvent && is_host_work(rank_.activity(event));
        edges_.push_back({from, to, graph.weight(slot), event, is_of_host ? EdgeKind::cpu_operator : step_.kind(slot),
                          has_owner && step_.time[from] <= step_.owners[owner].launch_start});
      }
    }
  }

  // What goes on in the midst of a call or of device work does so because that had come so far. Here that is a delay:
  // the call and the work are activities already, as they are.
  void turn_parts_into_delays() {
    Column<std::uint8_t> starts_work(step_.time.size(), 0);
    for (const Edge& edge : edges_) {
      if (is_device(edge.kind) && edge.event != kNoEvent && is_device_work(rank_.activity(edge.event)) &&
          edge.from != step_.begin)
        starts_work[edge.from] = 1;
    }
    for (Edge& edge : edges_) {
      const bool is_of_work =
          is_device(edge.kind) && edge.event != kNoEvent && is_device_work(rank_.activity(edge.event));
      const bool is_part = is_of_work ? rank_.end(edge.event) > time_of(edge.to)
                                      : edge.kind == EdgeKind::cpu_runtime && starts_work[edge.to] != 0;
      if (!is_part) continue;
      const bool from_device = edge.from != step_.begin && starts_work[edge.from] != 0;
      edge.kind = !starts_work[edge.to] ? EdgeKind::sync_return
                  : from_device         ? EdgeKind::stream_wait
                                        : EdgeKind::launch_delay;
      edge.event = kNoEvent;
    }
  }

  // Of work of which no more is known than that its call was entered (graphs): where the call had returned by then, the
  // call itself is what came first.
  void launch_from_returns() {
    Column<NodeId> return_of_call(step_.time.size(), graph::kNoNode);
    for (const Edge& edge : edges_) {
      if (edge.kind == EdgeKind::cpu_runtime && edge.from != step_.begin) return_of_call[edge.from] = edge.to;
    }
    for (Edge& edge : edges_) {
      if (edge.kind != EdgeKind::launch_delay || !edge.is_from_entry) continue;
      const NodeId returned = return_of_call[edge.from];
      if (returned == graph::kNoNode || returned >= edge.to) continue;
      edge.weight = std::max<TimePs>(0, edge.weight - (step_.time[returned] - step_.time[edge.from]));
      edge.from = returned;
    }
  }

  void group_edges() {
    const auto group = [&](const auto& end_of) {
      return group_by_row<std::uint32_t>(step_.time.size(), [&](const auto& add) {
        for (std::uint32_t e = 0; e < edges_.size(); ++e) add(end_of(edges_[e]), e);
      });
    };
    out_ = group([](const Edge& edge) { return edge.from; });
    in_ = group([](const Edge& edge) { return edge.to; });
  }

  [[nodiscard]] TimePs rounded(TimePs time) const { return whole_microseconds_ ? to_whole_microsecond(time) : time; }
  [[nodiscard]] TimePs time_of(NodeId moment) const { return step_.window.begin + step_.time[moment]; }
  // Differences of rounded moments, not rounded differences: along a chain errors do not add up.
  [[nodiscard]] TimePs duration_of(const Edge& edge) const {
    return rounded(time_of(edge.from) + edge.weight) - rounded(time_of(edge.from));
  }

  // Operators, calls and device work are activities whatever they take; of the rest only what takes time.
  [[nodiscard]] bool becomes_activity(const Edge& edge) const {
    if (is_device(edge.kind)) return true;
    const bool is_first_part = edge.event != kNoEvent && event_seen_[edge.event] == 0;
    if (is_host(edge.kind)) return is_first_part || duration_of(edge) > 0;
    return step_.time[edge.from] + edge.weight == step_.time[edge.to] && duration_of(edge) > 0;
  }

  void gather_what_ends_at(NodeId moment) {
    ends_here_.clear();
    for (const std::uint32_t edge : in_[moment]) {
      if (activity_of_edge_[edge] != kNotAnActivity) {
        ends_here_.push_back(activity_of_edge_[edge]);
        continue;
      }
      // An edge that is no activity takes no time, or held nothing up: what had ended at its source has ended here,
      // too.
      const NodeId from = edges_[edge].from;
      for (std::uint32_t k = 0; k < ready_count_[from]; ++k)
        ends_here_.push_back(chain_.dependencies[ready_first_[from] + k]);
    }
    std::sort(ends_here_.begin(), ends_here_.end());
    ends_here_.erase(std::unique(ends_here_.begin(), ends_here_.end()), ends_here_.end());
    store_ready(moment);
    if (ends_here_.size() <= kMostDependencies || out_[moment].empty()) return;
    add_activity(moment, {moment, moment, 0, kNoEvent, EdgeKind::order, false});
    ends_here_.assign(1, static_cast<std::uint32_t>(chain_.activities.size() - 1));
    store_ready(moment);
  }

  void store_ready(NodeId moment) {
    ready_first_[moment] = static_cast<std::uint32_t>(chain_.dependencies.size());
    ready_count_[moment] = static_cast<std::uint32_t>(ends_here_.size());
    chain_.dependencies.append(ends_here_);
  }

  // Of two edges that leave one moment. Moments are numbered by content too, so that only edges which are alike in all
  // of this stay as they are.
  [[nodiscard]] bool comes_before(const Edge& a, const Edge& b) const {
    const auto place = [&](const Edge& edge) {
      const std::uint32_t lane = step_.node_lane[edge.to];
      return std::tuple(is_on_device(edge.kind), lane == kNoWork ? kNoWork : content_.place(lane),
                        edge.event == kNoEvent);
    };
    if (place(a) != place(b)) return place(a) < place(b);
    if (a.event != b.event) {
      if (content_.before(a.event, b.event)) return true;
      if (content_.before(b.event, a.event)) return false;
    }
    return std::tuple(a.to, a.kind, a.weight) < std::tuple(b.to, b.kind, b.weight);
  }

  void begin_activities(NodeId moment) {
    begins_here_.assign(out_[moment].begin(), out_[moment].end());
    if (begins_here_.size() > 1) {
      std::stable_sort(begins_here_.begin(), begins_here_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return comes_before(edges_[a], edges_[b]); });
    }
    for (const std::uint32_t edge : begins_here_) {
      if (!becomes_activity(edges_[edge])) continue;
      activity_of_edge_[edge] = static_cast<std::uint32_t>(chain_.activities.size());
      add_activity(moment, edges_[edge]);
    }
  }

  void add_activity(NodeId moment, const Edge& edge) {
    const bool is_part = edge.event != kNoEvent && (is_host(edge.kind) || is_device(edge.kind));
    chain_.activities.push_back({rounded(time_of(moment)), duration_of(edge), is_part ? edge.event : kNoEvent,
                                 step_.node_lane[edge.to], ready_first_[moment], ready_count_[moment], edge.kind,
                                 is_part && event_seen_[edge.event] != 0});
    if (is_part) event_seen_[edge.event] = 1;
  }

  const RankGraph& step_;
  const trace::RankTrace& rank_;
  const trace::ContentOrder content_;
  const bool whole_microseconds_;
  Column<std::uint8_t> event_seen_;  // some activity is part of it
  Column<Edge> edges_;
  SparseRows<std::uint32_t> out_, in_;  // edges by the moment they leave and by the one they reach
  Column<std::uint32_t> activity_of_edge_;
  Column<std::uint32_t> ready_first_, ready_count_;  // per moment: what has ended by then, in chain_.dependencies
  std::vector<std::uint32_t> ends_here_, begins_here_;
  ActivityChain chain_;
};

}  // namespace

ActivityChain make_activity_chain(const RankGraph& step, const trace::Trace& trace, const trace::RankTrace& rank,
                                  bool whole_microseconds) {
  return ChainMaker(step, trace, rank, whole_microseconds).make();
}

}  // namespace orrery::causal

// Small jobs, written down rank by rank, as the joined graph that analyses of whole jobs take.
//
//     SmallJob job(2);
//     job.work(0, "f", 10);
//     const auto sum = job.ask(0, "sum");  // begins a collective, and goes on
//     job.work(0, "g", 3);
//     job.need(0, sum);                    // goes on when it has ended
//     job.need(0, job.kernel(0, 7, "k", 5));  // launched to stream 7, and waited for
//
// Every moment is the latest of what it has to wait for, so the job takes exactly as long as its edges say.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "causal/causal_graph.h"
#include "graph/builder.h"
#include "graph/longest_path.h"

namespace orrery::analyze::testing {

using causal::EdgeKind;

class SmallJob {
 public:
  /// A moment of a rank, before all moments are numbered.
  struct Moment {
    std::uint32_t rank;
    std::uint32_t index;
  };
  struct Collective {
    std::string what = "all_reduce";
    std::string group = "world";
    TimePs transfer = 2;
    std::int64_t bytes = 1024;
    TimePs uncertainty = 0;
    std::uint32_t root = causal::kNoPart;  ///< rank; with it the collective is a broadcast: only the root is waited for
    bool message = false;                  ///< the lowest rank sends, and does not wait
  };

  explicit SmallJob(std::uint32_t ranks, std::vector<TimePs> begins = {}) : ranks_(ranks), begins_(std::move(begins)) {
    begins_.resize(ranks, 0);
    for (std::uint32_t r = 0; r < ranks; ++r) now_.push_back(moment(r));
    moments_.resize(ranks);
  }

  /// The rank's thread works; times are in whatever unit the test counts in.
  void work(std::uint32_t rank, const std::string& name, TimePs time, EdgeKind kind = EdgeKind::cpu_operator) {
    const Moment after = moment(rank);
    edge(now_[rank], after, kind, time, name);
    now_[rank] = after;
  }
  /// Launches work to a stream, where it begins after a launch delay of 1 or, behind other work, after a gap of 1; its
  /// end.
  Moment kernel(std::uint32_t rank, std::uint32_t stream, const std::string& name, TimePs time) {
    const std::uint32_t lane = lane_of(rank, stream);
    const Moment start = moment(rank, lane), end = moment(rank, lane);
    edge(now_[rank], start, EdgeKind::launch_delay, 1, name);
    if (const auto last = last_work_.find({rank, stream}); last != last_work_.end())
      edge(last->second, start, EdgeKind::kernel_gap, 1, name);
    edge(start, end, EdgeKind::kernel, time, name);
    for (std::size_t e = edges_.size() - (last_work_.contains({rank, stream}) ? 3 : 2); e < edges_.size(); ++e)
      edges_[e].launched_at = now_[rank], edges_[e].device = 0;
    last_work_[{rank, stream}] = end;
    return end;
  }
  /// Takes part in the collective called `key`; its end.
  Moment ask(std::uint32_t rank, const std::string& key, const Collective& collective) {
    const Moment arrival = moment(rank), end = moment(rank);
    edge(now_[rank], arrival, EdgeKind::order, 0, "");
    if (!operations_.contains(key)) order_.push_back(key);
    operations_[key].push_back({rank, arrival, end, collective});
    return end;
  }
  Moment ask(std::uint32_t rank, const std::string& key) { return ask(rank, key, Collective{}); }
  void need(std::uint32_t rank, Moment end) {
    const Moment after = moment(rank);
    edge(now_[rank], after, EdgeKind::order, 0, "");
    edge(end, after, EdgeKind::order, 0, "");
    now_[rank] = after;
  }
  void communicate(std::uint32_t rank, const std::string& key, const Collective& collective) {
    need(rank, ask(rank, key, collective));
  }
  void communicate(std::uint32_t rank, const std::string& key) { communicate(rank, key, Collective{}); }
  /// The next step of the rank begins here.
  void step(std::uint32_t rank) { step_begin_[rank].push_back(now_[rank]); }

  [[nodiscard]] causal::CausalGraph make() const;

 private:
  struct Edge {
    Moment from, to;
    EdgeKind kind;
    TimePs weight;
    std::string name;
    Moment launched_at;
    std::int64_t device = -1;
  };
  struct Part {
    std::uint32_t rank;
    Moment arrival, end;
    Collective collective;
  };

  Moment moment(std::uint32_t rank, std::uint32_t lane = 0) {
    moments_.resize(std::max<std::size_t>(moments_.size(), rank + 1));
    lanes_.resize(moments_.size());
    lanes_[rank].push_back(lane);
    return {rank, moments_[rank]++};
  }
  std::uint32_t lane_of(std::uint32_t rank, std::uint32_t stream) {
    const auto [at, is_new] = stream_lane_.try_emplace({rank, stream}, 0);
    if (is_new) at->second = static_cast<std::uint32_t>(stream_lane_.size());
    return at->second;
  }
  void edge(Moment from, Moment to, EdgeKind kind, TimePs weight, const std::string& name) {
    edges_.push_back({from, to, kind, weight, name, from});
  }

  std::uint32_t ranks_;
  std::vector<TimePs> begins_;
  std::vector<std::uint32_t> moments_;             // by rank: how many
  std::vector<std::vector<std::uint32_t>> lanes_;  // by rank: of its moments; 0 is the main thread's
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> stream_lane_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Moment> last_work_;  // by rank and stream
  std::vector<Moment> now_;
  std::vector<Edge> edges_;
  std::map<std::string, std::vector<Part>> operations_;
  std::vector<std::string> order_;
  std::map<std::uint32_t, std::vector<Moment>> step_begin_;
};

inline causal::CausalGraph SmallJob::make() const {
  causal::CausalGraph job;
  graph::GraphBuilder builder;
  std::vector<graph::NodeId> first;
  for (std::uint32_t r = 0; r < ranks_; ++r)
    first.push_back(static_cast<graph::NodeId>(builder.add_nodes(moments_[r])));
  const auto node = [&](Moment m) { return first[m.rank] + m.index; };
  std::size_t parts = 0;
  for (const auto& [key, members] : operations_) parts += members.size();
  job.first_ready = builder.add_nodes(parts);
  job.first_hub = builder.add_nodes(order_.size());
  job.begin = builder.add_node();
  job.end = builder.add_node();

  std::vector<graph::EdgeId> transfers;
  const auto add = [&](graph::NodeId from, graph::NodeId to, EdgeKind kind, TimePs weight, const std::string& name) {
    std::uint32_t tag = graph::kNoTag;
    if (!name.empty()) {
      const StringId id = job.strings.intern(name);
      tag = static_cast<std::uint32_t>(job.owners.size());
      job.owners.push_back({id, tag, 0, 0, 0, 0, -1, -1});
      job.class_name.push_back(id);
    }
    return builder.add_edge(from, to, static_cast<std::uint8_t>(kind), weight, tag);
  };
  for (std::uint32_t r = 0; r < ranks_; ++r) add(job.begin, first[r], EdgeKind::before, begins_[r], "");
  std::vector<std::pair<std::uint32_t, graph::NodeId>> launched;  // owners of device work, and where it was launched
  for (const Edge& e : edges_) {
    add(node(e.from), node(e.to), e.kind, e.weight, e.name);
    if (e.device < 0) continue;
    launched.emplace_back(static_cast<std::uint32_t>(job.owners.size() - 1), node(e.launched_at));
    job.owners.back().device = e.device;
  }
  for (std::size_t o = 0; o < order_.size(); ++o) {
    std::vector<Part> members = operations_.at(order_[o]);
    std::sort(members.begin(), members.end(), [](const Part& a, const Part& b) { return a.rank < b.rank; });
    const Collective& c = members.front().collective;
    const bool is_rooted = c.root != causal::kNoPart;
    causal::JobOperation operation;
    operation.what = job.strings.intern(c.what);
    operation.group = job.strings.intern(c.group);
    operation.name = job.strings.intern("gloo:" + c.what);
    operation.bytes = c.bytes;
    operation.first = static_cast<std::uint32_t>(job.parts.size());
    operation.count = operation.members = static_cast<std::uint32_t>(members.size());
    if (is_rooted) operation.ordering = match::Ordering::root_first;
    if (c.message) operation.ordering = match::Ordering::message;
    const auto hub = static_cast<graph::NodeId>(job.first_hub + o);
    for (const Part& m : members) {
      if (!is_rooted && !c.message) add(node(m.arrival), hub, EdgeKind::arrival, 0, "");
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto p = static_cast<std::uint32_t>(job.parts.size());
      const Part& m = members[i];
      if (is_rooted && m.rank == c.root) operation.root = p;
      add(node(m.arrival), job.ready(p), EdgeKind::arrival, 0, "");
      if (!is_rooted && !c.message) add(hub, job.ready(p), EdgeKind::arrival, 0, "");
      for (const Part& other : members) {
        const bool is_needed = is_rooted ? other.rank == c.root : c.message && i == 1;
        if (is_needed && other.rank != m.rank) add(node(other.arrival), job.ready(p), EdgeKind::arrival, 0, "");
      }
      transfers.push_back(
          add(job.ready(p), node(m.end), EdgeKind::communication, m.collective.transfer, "gloo:" + c.what));
      job.parts.push_back({.rank = m.rank,
                           .operation = static_cast<std::uint32_t>(o),
                           .arrival = node(m.arrival),
                           .progress = node(m.arrival),
                           .end = node(m.end),
                           .transfer = 0,
                           .uncertainty = m.collective.uncertainty,
                           .owner = static_cast<std::uint32_t>(job.owners.size() - 1)});
    }
    job.operations.push_back(operation);
  }
  for (std::uint32_t r = 0; r < ranks_; ++r) add(node(now_[r]), job.end, EdgeKind::order, 0, "");

  job.graph = std::move(*std::move(builder).build());
  for (std::size_t p = 0; p < parts; ++p) job.parts[p].transfer = job.graph.slot_of_edge(transfers[p]);
  const graph::Solution solved = graph::solve(job.graph, job.end);
  job.span = solved.length();
  job.label = "small job";
  job.node_rank.assign(job.graph.node_count(), causal::kNoRank);
  job.node_lane.assign(job.graph.node_count(), causal::kNoWork);
  for (graph::NodeId v = 0; v < job.graph.node_count(); ++v) job.time.push_back(solved.finish(v));
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    for (std::uint32_t i = 0; i < moments_[r]; ++i)
      job.node_rank[first[r] + i] = r, job.node_lane[first[r] + i] = lanes_[r][i];
    job.node_lane[first[r]] = causal::kNoWork;  // the begin of the window is nowhere in particular
    causal::JobRank rank;
    rank.main_lane = 0;
    rank.rank = r;
    rank.lanes.assign(stream_lane_.size() + 1, {});
    rank.begin = rank.first_node = first[r];
    rank.end = node(now_[r]);
    rank.begins_at = begins_[r];
    rank.ends_at = job.time[rank.end];
    if (const auto steps = step_begin_.find(r); steps != step_begin_.end()) {
      for (const Moment m : steps->second) rank.step_begin.push_back(job.time[node(m)]);
    }
    job.ranks.push_back(std::move(rank));
  }
  for (std::size_t p = 0; p < parts; ++p) job.node_rank[job.ready(static_cast<std::uint32_t>(p))] = job.parts[p].rank;
  for (std::size_t p = 0; p < parts; ++p) job.node_lane[job.ready(static_cast<std::uint32_t>(p))] = 0;
  for (std::size_t k = 0; k < job.ranks.front().step_begin.size(); ++k)
    job.steps.push_back("ProfilerStep#" + std::to_string(k));
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const std::uint32_t tag = job.graph.edge_tag(slot);
    if (tag == graph::kNoTag) continue;
    job.owners[tag].start = job.owners[tag].launch_start = job.time[job.graph.source(slot)];
    job.owners[tag].lane = job.node_lane[job.graph.target(slot)];
  }
  for (const auto& [tag, at] : launched) job.owners[tag].launch_start = job.time[at];
  return job;
}

}  // namespace orrery::analyze::testing

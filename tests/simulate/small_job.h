// Small workloads written in a few words, and the simplest network there is, for tests of the engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "simulate/engine/options.h"
#include "simulate/network_model.h"
#include "workload/workload.h"

namespace orrery::simulate::testing {

using workload::ActivityKind;
using workload::Collective;

/// One activity and the activities of its rank that it comes after.
struct Node {
  ActivityKind kind = ActivityKind::compute;
  TimePs duration = 0;
  std::int64_t bytes = 0;
  std::vector<std::uint32_t> after = {};
  std::int32_t peer = -1;  ///< none: -1
  std::int64_t tag = 0;
  Collective collective = Collective::all_reduce;
  std::string group = {};
  std::uint8_t flags = 0;
  std::int64_t operations = 0;
  std::vector<std::uint32_t> with = {};  ///< activities whose start is enough
};

/// The same activity, which also waits for the start of others.
inline Node with(std::vector<std::uint32_t> started, Node node) {
  node.with = std::move(started);
  return node;
}

using After = std::vector<std::uint32_t>;

inline Node compute(TimePs duration, After after = {}) { return {.duration = duration, .after = std::move(after)}; }
inline Node on_host(TimePs duration, After after = {}) {
  return {.duration = duration, .after = std::move(after), .flags = workload::activity::kOnHost};
}
inline Node nothing(After after = {}) { return {.kind = ActivityKind::metadata, .after = std::move(after)}; }
inline Node send(std::int32_t to, std::int64_t bytes, After after = {}, std::int64_t tag = 0) {
  return {.kind = ActivityKind::send, .bytes = bytes, .after = std::move(after), .peer = to, .tag = tag};
}
inline Node recv(std::int32_t from, std::int64_t bytes, After after = {}, std::int64_t tag = 0) {
  return {.kind = ActivityKind::recv, .bytes = bytes, .after = std::move(after), .peer = from, .tag = tag};
}
inline Node all_reduce(std::int64_t bytes, After after = {}, std::string group = {}) {
  return {.kind = ActivityKind::collective, .bytes = bytes, .after = std::move(after), .group = std::move(group)};
}

/// Edges are added target by target, or the other way round.
inline workload::Program make_program(Interner& strings, const std::vector<Node>& nodes, bool edges_backwards = false) {
  workload::Program program;
  graph::GraphBuilder edges = workload::dependency_builder();
  for (const Node& node : nodes) edges.add_node(node.duration);
  struct Pair {
    std::uint32_t before, after;
    workload::Dependency type;
  };
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    for (const std::uint32_t before : node.after) pairs.push_back({before, i, workload::Dependency::data});
    for (const std::uint32_t before : node.with) pairs.push_back({before, i, workload::Dependency::start});
    program.ids.push_back(i);
    program.names.push_back(0);
    program.kinds.push_back(node.kind);
    std::uint8_t flags = node.flags;
    if (node.bytes > 0) flags |= workload::activity::kHasBytes;
    if (node.peer >= 0) flags |= workload::activity::kHasPeer;
    if (node.operations > 0) flags |= workload::activity::kHasOperations;
    program.flags.push_back(flags);
    program.bytes.push_back(node.bytes);
    program.operations.set(i, node.operations);
    program.peers.set(i, node.peer);
    program.tags.set(i, node.tag);
    program.collectives.set(i, node.collective);
    program.group_names.set(i, strings.intern(node.group));
  }
  if (edges_backwards) std::reverse(pairs.begin(), pairs.end());
  for (const auto& [before, after, type] : pairs) edges.add_edge(before, after, static_cast<std::uint8_t>(type), 0);
  Result<graph::Graph> graph = std::move(edges).build();
  if (!graph) throw std::invalid_argument(graph.error().to_string());
  program.dependencies = std::move(*graph);
  program.operations.complete(nodes.size());
  program.peers.complete(nodes.size());
  program.tags.complete(nodes.size());
  program.collectives.complete(nodes.size());
  program.group_names.complete(nodes.size());
  return program;
}

using Groups = std::vector<std::pair<std::string, std::vector<std::uint32_t>>>;

inline workload::Workload make_job(const std::vector<std::vector<Node>>& ranks, const Groups& groups = {},
                                   bool edges_backwards = false) {
  workload::Workload job;
  for (const std::vector<Node>& nodes : ranks) {
    job.program_of_rank.push_back(static_cast<std::uint32_t>(job.programs.size()));
    job.programs.push_back(make_program(job.strings, nodes, edges_backwards));
  }
  for (const auto& [name, members] : groups) job.groups.push_back({job.strings.intern(name), members});
  return job;
}

/// All ranks share one program.
inline workload::Workload make_uniform_job(std::size_t ranks, const std::vector<Node>& nodes) {
  workload::Workload job;
  job.programs.push_back(make_program(job.strings, nodes));
  job.program_of_rank.assign(ranks, 0);
  return job;
}

/// No message is eager.
inline EngineOptions rendezvous() {
  EngineOptions options;
  options.eager_limit_bytes = -1;
  return options;
}

/// Every operation takes a fixed latency and its bytes at a fixed rate, alone or not. One link carries everything.
class FixedNetwork final : public NetworkModel {
 public:
  explicit FixedNetwork(TimePs latency = 0, TimePs ps_per_byte = 1) : latency_(latency), ps_per_byte_(ps_per_byte) {}

  Result<Price> estimate(const CommOp& op) override {
    const TimePs moving = op.ranks.size() < 2 ? 0 : op.bytes * ps_per_byte_;
    const TimePs latency = op.ranks.size() < 2 ? 0 : latency_;
    return Price{.total_ps = latency + moving, .alpha_ps = latency, .beta_ps = moving};
  }
  Result<std::vector<Price>> estimate(std::span<const CommOp> ops) override {
    std::vector<Price> prices;
    for (const CommOp& op : ops) prices.push_back(*estimate(op));
    return prices;
  }
  Status start(OpId id, const CommOp& op, TimePs now) override {
    if (refuse_) return Error{.message = "this network is closed"};
    if (now < now_) throw std::logic_error("the engine went back in time");
    now_ = now;
    log_.push_back({id, op.kind, op.collective, op.bytes, {op.ranks.begin(), op.ranks.end()}, op.root, now});
    in_flight_.emplace(now + estimate(op)->total_ps, id);
    if (op.ranks.size() > 1) link_.bytes += static_cast<std::uint64_t>(op.bytes);
    link_.peak_sharing = std::max(link_.peak_sharing, static_cast<std::uint32_t>(in_flight_.size()));
    return {};
  }
  [[nodiscard]] TimePs next_event() const override { return in_flight_.empty() ? kNever : in_flight_.begin()->first; }
  void advance(TimePs now, std::vector<OpId>& finished) override {
    if (now < now_ || now > next_event()) throw std::logic_error("the engine advanced too far");
    if (!in_flight_.empty()) link_.busy_ps += now - now_;
    now_ = now;
    while (!in_flight_.empty() && in_flight_.begin()->first <= now) {
      finished.push_back(in_flight_.begin()->second);
      in_flight_.erase(in_flight_.begin());
    }
  }
  [[nodiscard]] std::span<const LinkUse> link_uses() const override { return {&link_, 1}; }

  struct Started {
    OpId id;
    CommOp::Kind kind;
    Collective collective;
    std::int64_t bytes;
    std::vector<std::uint32_t> ranks;
    std::uint32_t root;
    TimePs time;
  };
  [[nodiscard]] const std::vector<Started>& log() const { return log_; }
  void refuse() { refuse_ = true; }

 private:
  void reset(LinkRecorder*) override {
    now_ = 0;
    in_flight_.clear();
    link_ = {};
    log_.clear();
  }

  const TimePs latency_, ps_per_byte_;
  TimePs now_ = 0;
  std::set<std::pair<TimePs, OpId>> in_flight_;
  LinkUse link_;
  std::vector<Started> log_;
  bool refuse_ = false;
};

}  // namespace orrery::simulate::testing

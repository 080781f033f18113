#include "causal/reduce/reduce_rank.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "causal/causal_graph.h"
#include "causal/edge_kind.h"
#include "graph/builder.h"
#include "graph/reduce.h"

namespace orrery::causal {
namespace {

using graph::NodeId;
using graph::Slot;

/// Numbers the classes of a rank's edges as they come, with texts of the step.
class WorkNumbers {
 public:
  WorkNumbers(const RankGraph& step, const ReductionRequest& request, EdgePieces& out)
      : step_(step),
        step_begin_(request.step_begin),
        steps_(std::max<std::size_t>(request.step_begin.size(), 1)),
        plain_(step.strings.size() * kJobEdgeKinds, kNew),
        out_(out) {}

  std::uint32_t of(Slot slot) {
    const std::uint32_t tag = step_.graph.edge_tag(slot);
    const std::uint32_t kind = step_.graph.type(slot);
    const Owner* const owner = tag == graph::kNoTag ? nullptr : &step_.owners[tag];
    const StringId name = owner == nullptr ? 0 : owner->name, class_name = owner == nullptr ? 0 : step_.class_name[tag];
    const bool is_device = owner != nullptr && owner->device >= 0;
    const std::uint32_t step = step_at(is_device ? owner->launch_start : step_.time[step_.graph.source(slot)]);
    const std::uint32_t family = family_of(kind, name, class_name);
    std::uint32_t& number = numbers_[family * steps_ + step];
    if (number == kNew) {
      number = count_++;
      out_.add_class(family, step_begin_.empty() ? kNoStep : step);
    }
    return number;
  }

 private:
  static constexpr std::uint32_t kNew = ~std::uint32_t{0};

  /// As CausalGraph::step_at; 0 without steps.
  [[nodiscard]] std::uint32_t step_at(TimePs at) const {
    const auto next = std::upper_bound(step_begin_.begin(), step_begin_.end(), at);
    return next == step_begin_.begin() ? 0 : static_cast<std::uint32_t>(next - step_begin_.begin() - 1);
  }

  /// Classes that differ by step alone. Nearly all are blamed under their own name: for these a table does.
  std::uint32_t family_of(std::uint32_t kind, StringId name, StringId class_name) {
    std::uint32_t& family = name == class_name ? plain_[std::size_t{kind} * step_.strings.size() + name]
                                               : others_.try_emplace({kind, name, class_name}, kNew).first->second;
    if (family == kNew) {
      family = static_cast<std::uint32_t>(numbers_.size() / steps_);
      numbers_.resize(numbers_.size() + steps_, kNew);
      out_.add_family({kind, name, class_name});
    }
    return family;
  }

  const RankGraph& step_;
  const std::vector<TimePs>& step_begin_;
  std::size_t steps_;
  std::vector<std::uint32_t> plain_;  // by kind and name
  std::map<std::tuple<std::uint32_t, StringId, StringId>, std::uint32_t> others_;
  std::vector<std::uint32_t> numbers_;  // by family and step
  std::uint32_t count_ = 0;             // of classes
  EdgePieces& out_;
};

/// Sums the pieces of chains by class.
class PieceSums {
 public:
  PieceSums(const RankGraph& step, const ReductionRequest& request, EdgePieces& out)
      : step_(step), numbers_(step, request, out), out_(out) {
    Column<TimePs> totals;
    bool whole_ns = true;
    for (Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      const TimePs time = step.graph.weight(slot);
      if (time == 0) continue;
      const std::uint32_t work = numbers_.of(slot);
      if (work == totals.size()) totals.push_back(0);
      if (!is_part(step, slot)) totals[work] += time;
      whole_ns &= time % kPsPerNs == 0;
    }
    out_.set_totals(totals, whole_ns);
    sums_.resize(totals.size());
  }

  void add(Slot slot) {
    const TimePs time = step_.graph.weight(slot);
    if (time == 0) return;
    const std::uint32_t work = numbers_.of(slot);
    if (sums_[work] == 0) found_.push_back(work);
    sums_[work] += time;
  }

  /// Puts down what was added since the last time; the number of the list, kNoTag if nothing took time.
  std::uint32_t finish() {
    pieces_.clear();
    std::sort(found_.begin(), found_.end());
    // Weights below zero may have made a sum zero in between, and its class be found twice.
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    for (const std::uint32_t work : found_) {
      if (const TimePs time = std::exchange(sums_[work], 0); time != 0) pieces_.push_back({work, time});
    }
    found_.clear();
    return pieces_.empty() ? graph::kNoTag : out_.add(pieces_);
  }

 private:
  const RankGraph& step_;
  WorkNumbers numbers_;
  EdgePieces& out_;
  std::vector<TimePs> sums_;          // per class
  std::vector<std::uint32_t> found_;  // classes with a sum
  std::vector<EdgePieces::Piece> pieces_;
};

class SkeletonMaker {
 public:
  SkeletonMaker(const RankGraph& step, const ReductionRequest& request)
      : step_(step),
        request_(request),
        sums_(step, request, out_.pieces),
        owner_number_(step.owners.size(), graph::kNoTag) {}

  RankGraph make() {
    reduce();
    copy_facts();
    add_edges();
    return std::move(out_);
  }

 private:
  void reduce() {
    const graph::Graph& graph = step_.graph;
    Column<std::uint8_t> moments(graph.node_count(), 0);
    moments[graph.position(step_.begin)] = moments[graph.position(step_.end)] = 1;
    for (const Slot slot : request_.communications)
      moments[graph.source_positions()[slot]] = moments[graph.target_position(slot)] = 1;
    const graph::Outside outside{moments, request_.communications};
    reduction_ = graph::contract_chains(graph, outside, graph::needed_edges(graph, outside));
  }

  void copy_facts() {
    out_.window = step_.window;
    for (const LaneLabel& lane : step_.lanes)
      out_.lanes.push_back({text(lane.process), text(lane.thread), text(lane.name)});
    out_.source_path = step_.source_path;
    out_.rank = step_.rank;
    out_.epoch_us = step_.epoch_us;
    out_.typical_launch_delay = step_.typical_launch_delay;
    out_.typical_kernel_gap = step_.typical_kernel_gap;
    out_.reach = step_.reach;
    out_.clock = step_.clock;
    out_.time.reserve(reduction_.nodes.size());
    out_.node_lane.reserve(reduction_.nodes.size());
    for (std::uint32_t n = 0; n < reduction_.nodes.size(); ++n) {
      const NodeId node = step_.graph.node_at(reduction_.nodes[n]);
      if (node == step_.begin) out_.begin = n;
      if (node == step_.end) out_.end = n;
      out_.time.push_back(step_.time[node]);
      out_.node_lane.push_back(step_.node_lane[node]);
    }
  }

  void add_edges() {
    graph::GraphBuilder builder;
    builder.reserve(reduction_.nodes.size(), reduction_.edges.size());
    builder.add_nodes(reduction_.nodes.size());
    for (std::size_t e = 0; e < reduction_.edges.size(); ++e) {
      const graph::Reduction::Edge& edge = reduction_.edges[e];
      const std::span<const Slot> slots = reduction_.slots_of(e);
      std::uint8_t kind = step_.graph.type(slots.front());
      std::uint32_t tag = graph::kNoTag;
      if (slots.size() == 1 &&
          std::binary_search(request_.communications.begin(), request_.communications.end(), slots.front())) {
        tag = keep_owner(step_.graph.edge_tag(slots.front()));
      } else if (slots.size() > 1 || step_.graph.edge_tag(slots.front()) != graph::kNoTag) {
        for (const Slot slot : slots) sums_.add(slot);
        tag = sums_.finish();
        kind = static_cast<std::uint8_t>(tag == graph::kNoTag ? EdgeKind::order : EdgeKind::several);
      }
      builder.add_edge(edge.from, edge.to, kind, edge.weight, tag);
    }
    out_.pieces.replace_texts([&](StringId id) { return text(id); });
    out_.pieces.shrink_to_fit();
    out_.owners.shrink_to_fit();
    out_.owner_events.shrink_to_fit();
    out_.class_name.shrink_to_fit();
    Result<graph::Graph> graph = std::move(builder).build();
    assert(graph.ok());  // its edges lead forwards, and their weights are sums within the range of the graph
    out_.graph = std::move(*graph);
  }

  StringId text(StringId id) { return out_.strings.intern(step_.strings.text(id)); }

  std::uint32_t keep_owner(std::uint32_t tag) {
    if (tag == graph::kNoTag) return tag;
    std::uint32_t& number = owner_number_[tag];
    if (number == graph::kNoTag) {
      number = static_cast<std::uint32_t>(out_.owners.size());
      out_.owners.push_back(step_.owners[tag]);
      out_.owners.back().name = text(out_.owners.back().name);
      out_.class_name.push_back(text(step_.class_name[tag]));
      if (!step_.owner_events.empty()) out_.owner_events.push_back(step_.owner_events[tag]);
    }
    return number;
  }

  const RankGraph& step_;
  const ReductionRequest& request_;
  RankGraph out_;
  PieceSums sums_;
  std::vector<std::uint32_t> owner_number_;  // per owner of the step: its number in the reduced graph
  graph::Reduction reduction_;
};

}  // namespace

RankGraph reduce_rank(const RankGraph& step, const ReductionRequest& request) {
  assert(std::is_sorted(request.communications.begin(), request.communications.end()) &&
         step.class_name.size() == step.owners.size());
  return SkeletonMaker(step, request).make();
}

}  // namespace orrery::causal

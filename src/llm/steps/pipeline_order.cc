#include "llm/steps/pipeline_order.h"

#include <algorithm>
#include <limits>

#include "graph/builder.h"
#include "graph/longest_path.h"
#include "workload/chain_builder.h"

// GPipe and (interleaved) 1F1B are given by rules. For zero bubble (Qi et al. 2023) two orders are made, a greedy one
// that runs the pipeline and takes what can start first, and 1F1B with gradients of weights put off; both are solved as
// graphs, and the shorter one is taken.

namespace orrery::llm {
namespace {

using Order = std::vector<PassItem>;

Order gpipe(std::uint32_t micro_batches) {
  Order order;
  for (std::uint32_t i = 0; i < micro_batches; ++i) order.push_back({Pass::forward, 0, i});
  for (std::uint32_t i = micro_batches; i-- > 0;) order.push_back({Pass::backward, 0, i});
  return order;
}

/// With one chunk this is the plain 1F1B order.
Order one_f_one_b(std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks, std::uint32_t micro_batches,
                  bool pairs) {
  const std::uint32_t total = chunks * micro_batches, round = stages * chunks;
  const auto item = [&](Pass pass, std::uint32_t place) -> PassItem {
    if (chunks == 1) return {pass, 0, place};
    const std::uint32_t chunk = place % round / stages;
    // Backward passes go through the chunks from the last to the first.
    return {pass, pass == Pass::forward ? chunk : chunks - 1 - chunk, place / round * stages + place % stages};
  };
  const std::uint32_t later = stages - 1 - stage;
  // A pair's output comes when both of its passes are done, so that a message and its answer are two pairs apart.
  const std::uint32_t ahead = chunks == 1 && !pairs ? later : 2 * later + (chunks - 1) * stages + (pairs ? 1 : 0);
  Order order;
  for (const workload::PipelineTurn& turn : workload::one_forward_one_backward(total, ahead)) {
    order.push_back(item(turn.is_forward ? Pass::forward : Pass::backward, turn.number));
    // Not while the pipeline fills: there the forward pass must not wait for what comes back.
    order.back().is_paired = pairs && turn.is_forward && turn.number >= ahead;
  }
  return order;
}

/// Runs the pipeline with given durations and notes what was taken when.
class GreedyOrder {
 public:
  GreedyOrder(std::uint32_t stages, std::uint32_t micro_batches, const std::vector<PassDurations>& durations)
      : stages_(stages), micro_batches_(micro_batches), durations_(durations), states_(stages), orders_(stages) {
    for (State& state : states_) state.ends.assign(2, std::vector<TimePs>(micro_batches, kUnknown));
  }

  std::vector<Order> run() {
    // Three passes of every micro-batch on every stage; each turn takes the one that can start first.
    for (std::uint64_t left = std::uint64_t{3} * stages_ * micro_batches_; left > 0; --left) {
      std::uint32_t stage = 0;
      Choice best;
      for (std::uint32_t s = 0; s < stages_; ++s) {
        const Choice choice = choose(s);
        if (choice.start < best.start) best = choice, stage = s;
      }
      take(stage, best);
    }
    return std::move(orders_);
  }

 private:
  static constexpr TimePs kUnknown = std::numeric_limits<TimePs>::max();

  struct State {
    TimePs free_at = 0;
    std::uint32_t done[kPasses] = {};       // of each pass: micro-batches are taken in order
    std::vector<std::vector<TimePs>> ends;  // of forward and backward passes, by micro-batch
  };
  struct Choice {
    Pass pass = Pass::forward;
    TimePs start = kUnknown;
  };

  [[nodiscard]] TimePs ready(std::uint32_t stage, Pass pass, std::uint32_t micro_batch) const {
    const bool forward = pass == Pass::forward;
    if (forward && stage == 0) return 0;
    if (!forward && stage + 1 == stages_) return states_[stage].ends[0][micro_batch];
    const TimePs end = states_[forward ? stage - 1 : stage + 1].ends[forward ? 0 : 1][micro_batch];
    return end == kUnknown ? kUnknown : end + durations_[stage].message_ps;
  }

  [[nodiscard]] Choice choose(std::uint32_t stage) const {
    const State& state = states_[stage];
    const std::uint32_t forward = state.done[0], backward = state.done[1], weights = state.done[2];
    Choice best;
    const auto consider = [&](Pass pass, TimePs at) {
      if (at == kUnknown) return;
      at = std::max(at, state.free_at);
      if (at < best.start) best = {pass, at};
    };
    // Earlier ones win where they can start at the same moment.
    if (backward < forward) consider(Pass::backward, ready(stage, Pass::backward, backward));
    // As many micro-batches under way as there are stages: activations of more would not be kept by 1F1B either.
    if (forward < micro_batches_ && forward - weights < stages_)
      consider(Pass::forward, ready(stage, Pass::forward, forward));
    if (weights < backward) consider(Pass::weight_gradient, state.free_at);
    return best;
  }

  void take(std::uint32_t stage, const Choice& choice) {
    State& state = states_[stage];
    const PassDurations& takes = durations_[stage];
    const auto pass = static_cast<std::size_t>(choice.pass);
    const std::uint32_t micro_batch = state.done[pass]++;
    const TimePs duration[kPasses] = {takes.forward_ps, takes.backward_ps, takes.weight_gradient_ps};
    state.free_at = choice.start + duration[pass];
    if (choice.pass != Pass::weight_gradient) state.ends[pass][micro_batch] = state.free_at;
    orders_[stage].push_back({choice.pass, 0, micro_batch});
  }

  const std::uint32_t stages_, micro_batches_;
  const std::vector<PassDurations>& durations_;
  std::vector<State> states_;
  std::vector<Order> orders_;
};

/// 1F1B, with each gradient of weights put off by as many micro-batches as the stage's number: where 1F1B has stages -
/// s in flight, the last of them wait for their weights here, so that every stage holds as many as the first.
Order lagging_weights(std::uint32_t stage, std::uint32_t stages, std::uint32_t micro_batches) {
  Order order;
  std::uint32_t weights = 0;
  for (const PassItem& item : one_f_one_b(stage, stages, 1, micro_batches, false)) {
    order.push_back(item);
    if (item.pass == Pass::backward && item.micro_batch >= stage)
      order.push_back({Pass::weight_gradient, 0, weights++});
  }
  while (weights < micro_batches) order.push_back({Pass::weight_gradient, 0, weights++});
  return order;
}

/// How long the pipeline takes in these orders.
TimePs length_of(const std::vector<Order>& orders, std::uint32_t micro_batches,
                 const std::vector<PassDurations>& durations) {
  graph::GraphBuilder builder;
  const auto stages = static_cast<std::uint32_t>(orders.size());
  std::vector<graph::NodeId> nodes(std::size_t{2} * stages * micro_batches, 0);
  const auto place = [&](std::uint32_t stage, Pass pass, std::uint32_t i) {
    return (std::size_t{2} * stage + (pass == Pass::forward ? 0 : 1)) * micro_batches + i;
  };
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const TimePs takes[kPasses] = {durations[stage].forward_ps, durations[stage].backward_ps,
                                   durations[stage].weight_gradient_ps};
    graph::NodeId before = graph::kNoNode;
    for (const PassItem& item : orders[stage]) {
      const graph::NodeId node = builder.add_node(takes[static_cast<std::size_t>(item.pass)]);
      if (before != graph::kNoNode) builder.add_edge(before, node, 0, 0);
      if (item.pass != Pass::weight_gradient) nodes[place(stage, item.pass, item.micro_batch)] = node;
      before = node;
    }
  }
  for (std::uint32_t stage = 0; stage + 1 < stages; ++stage) {
    for (std::uint32_t i = 0; i < micro_batches; ++i) {
      builder.add_edge(nodes[place(stage, Pass::forward, i)], nodes[place(stage + 1, Pass::forward, i)], 0,
                       durations[stage].message_ps);
      builder.add_edge(nodes[place(stage + 1, Pass::backward, i)], nodes[place(stage, Pass::backward, i)], 0,
                       durations[stage].message_ps);
    }
  }
  const auto graph = std::move(builder).build();
  return graph ? graph::solve(*graph).length() : std::numeric_limits<TimePs>::max();
}

std::vector<Order> zero_bubble(std::uint32_t stages, std::uint32_t micro_batches,
                               const std::vector<PassDurations>& durations) {
  std::vector<Order> lagging;
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    lagging.push_back(lagging_weights(stage, stages, micro_batches));
  std::vector<Order> greedy = GreedyOrder(stages, micro_batches, durations).run();
  const bool greedy_is_shorter =
      length_of(greedy, micro_batches, durations) < length_of(lagging, micro_batches, durations);
  return greedy_is_shorter ? greedy : lagging;
}

}  // namespace

std::vector<Order> pipeline_orders(PipelineOrder order, std::uint32_t stages, std::uint32_t chunks,
                                   std::uint32_t micro_batches, const std::vector<PassDurations>& durations,
                                   bool pairs) {
  if (order == PipelineOrder::zero_bubble) return zero_bubble(stages, micro_batches, durations);
  std::vector<Order> orders;
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    orders.push_back(order == PipelineOrder::gpipe ? gpipe(micro_batches)
                                                   : one_f_one_b(stage, stages, chunks, micro_batches, pairs));
  return orders;
}

}  // namespace orrery::llm

#include "llm/steps/folded_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "graph/builder.h"
#include "graph/longest_path.h"
#include "llm/steps/paired_passes.h"

// Each pass of each stage is a node as long as its chain; edges are the order on a stage and messages between stages.
// How long a pass takes is found once per kind by walking over its own items and streams. The whole step is then one
// longest path over passes, thousands of nodes instead of millions.

namespace orrery::llm {
namespace {

/// A schedule in time.
struct ScheduleTime {
  TimePs chain_ps = 0;   ///< until its chain ends
  TimePs beside_ps = 0;  ///< what runs beside it ends so much later than the chain
  TimePs compute_ps = 0;
  TimePs exposed_ps = 0;  ///< of the chain: not computing
};

/// When something runs: one after the other on a stream.
class BusySpans {
 public:
  void add(TimePs begin, TimePs end) { spans_.push_back({begin, end}); }

  /// Of work that takes `slowdown` times as long in the spans, and begins no earlier than any work before.
  TimePs end_of_work(TimePs begin, TimePs work, double slowdown) {
    while (next_ < spans_.size() && spans_[next_].end <= begin) ++next_;
    if (slowdown <= 1) return begin + work;
    TimePs now = begin;
    for (std::size_t i = next_; i < spans_.size() && spans_[i].begin < now + work; ++i) {
      const TimePs before = std::max<TimePs>(spans_[i].begin - now, 0);
      now += before;
      work -= before;
      const auto slowed = static_cast<TimePs>(std::llround(static_cast<double>(work) * slowdown));
      if (now + slowed <= spans_[i].end) return now + slowed;
      work -= static_cast<TimePs>(std::llround(static_cast<double>(spans_[i].end - now) / slowdown));
      now = spans_[i].end;
    }
    return now + work;
  }

 private:
  struct Span {
    TimePs begin, end;
  };
  std::vector<Span> spans_;
  std::size_t next_ = 0;  // the first that may lie beside work still to come
};

class FoldedStepMaker {
 public:
  FoldedStepMaker(const StepPlan& plan, const StepTimes& times, const std::vector<std::vector<PassItem>>& orders,
                  const CommPrice& price, const FoldingOptions& options)
      : plan_(plan),
        schedules_(plan, times),
        orders_(orders),
        price_(price),
        is_eager_(schedules_.message_bytes() <= options.eager_limit_bytes),
        exchange_slowdown_(options.exchange_slowdown) {}

  Result<FoldedStep> make() {
    if (plan_.stages() > 1) {
      auto message = price_({.is_message = true, .axis = ParallelAxis::pipeline, .bytes = schedules_.message_bytes()});
      if (!message) return message.error();
      message_ps_ = *message;
    }
    if (auto added = add_passes(); !added) return added.error();
    add_messages();
    if (auto added = add_end(); !added) return added.error();
    auto graph = std::move(builder_).build();
    if (!graph) return graph.error();
    const graph::Solution solution = graph::solve(*graph);
    FoldedStep step{.step_ps = solution.length()};
    std::size_t busiest = 0;
    for (std::size_t i = 0; i < busy_.size(); ++i) {
      if (busy_[i].compute_ps > busy_[busiest].compute_ps) busiest = i;
    }
    step.compute_ps = busy_[busiest].compute_ps;
    // What the busiest stage neither computes nor waits for communication is the bubble.
    step.bubble_ps = std::max<TimePs>(0, step.step_ps - busy_[busiest].compute_ps - busy_[busiest].exposed_ps);
    return step;
  }

 private:
  /// Parts of the model that have as many layers of each kind, and the same ends, take the same time.
  using Alike = std::tuple<Pass, std::uint32_t, std::uint32_t, bool, bool, bool, bool, bool>;

  /// Whatever an item waits for stands in front of it, so that one walk in order finds when each ends.
  Result<ScheduleTime> time_of(const LayerSchedule& schedule) {
    std::array<TimePs, kParallelAxes> stream{};  // when what was last on it ends: one communicator is one stream
    std::vector<TimePs> ends;
    ends.reserve(schedule.size());
    BusySpans exchanges;
    TimePs chain = 0, last = 0, host = 0;
    ScheduleTime time;
    for (const LayerItem& item : schedule) {
      TimePs begin = chain;
      for (const std::int32_t place : item.waits_for) {
        if (place >= 0) begin = std::max(begin, ends[static_cast<std::size_t>(place)]);
      }
      TimePs end;
      if (item.is_collective) {
        auto price = priced({.collective = item.collective, .axis = item.axis, .bytes = item.bytes});
        if (!price) return price.error();
        TimePs& busy = stream[static_cast<std::size_t>(item.axis)];
        begin = std::max(begin, busy);
        end = busy = begin + *price;
        if (item.collective == workload::Collective::all_to_all) exchanges.add(begin, end);
      } else if (item.on_host) {
        end = host = std::max(begin, host) + item.duration_ps;
      } else {
        end = exchanges.end_of_work(begin, item.duration_ps, exchange_slowdown_);
        time.compute_ps += end - begin;
      }
      ends.push_back(end);
      last = std::max(last, end);
      if (item.joins) chain = end;
    }
    time.chain_ps = chain;
    time.beside_ps = last - chain;
    time.exposed_ps = chain - time.compute_ps;
    return time;
  }

  Result<TimePs> priced(const CommQuestion& question) {
    const auto found = prices_.find(question);
    if (found != prices_.end()) return found->second;
    auto price = price_(question);
    if (price) prices_.emplace(question, *price);
    return price;
  }

  [[nodiscard]] Alike alike(const PartPass& place) const {
    std::uint32_t with_experts = 0;  // or whatever kind of layer the model has besides its first
    const std::uint32_t begin = plan_.first_layer(place.part), end = plan_.first_layer(place.part + 1);
    for (std::uint32_t layer = begin; layer < end; ++layer)
      with_experts += &layer_model(plan_, layer) == &layer_model(plan_) ? 1 : 0;
    return {place.pass,
            end - begin,
            with_experts,
            place.part == 0,
            place.part + 1 == plan_.parts(),
            place.is_first,
            place.is_last,
            place.part < plan_.stages()};
  }

  /// Of one pass, or of two that run as one.
  Result<ScheduleTime> pass_time(std::span<const PartPass> places) {
    // Parts that are alike take the same time: a sweep asks for thousands of plans of hundreds of passes.
    const std::pair<Alike, std::optional<Alike>> key{
        alike(places[0]), places.size() > 1 ? std::optional(alike(places[1])) : std::nullopt};
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    LayerSchedule schedule = schedules_.make(places[0]);
    if (places.size() > 1) schedule = pair_passes(schedule, schedules_.make(places[1]));
    auto time = time_of(schedule);
    if (time) known_.emplace(key, *time);
    return time;
  }

  Status add_passes() {
    const std::uint32_t stages = plan_.stages(), chunks = plan_.chunks(), micro_batches = plan_.micro_batches();
    const Pass last_kind = plan_.order == PipelineOrder::zero_bubble ? Pass::weight_gradient : Pass::backward;
    nodes_.assign(std::size_t{2} * plan_.parts() * micro_batches, graph::kNoNode);
    before_.assign(nodes_.size(), graph::kNoNode);
    busy_.resize(stages);
    last_.assign(stages, graph::kNoNode);
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      std::vector<bool> begun(chunks, false);
      std::vector<std::uint32_t> left(chunks, micro_batches);
      graph::NodeId previous = graph::kNoNode, before_previous = graph::kNoNode;
      std::vector<graph::NodeId> gathered(chunks, graph::kNoNode);
      if (auto added = add_begin(stage, gathered); !added) return added;
      const std::vector<PassItem>& order = orders_[stage];
      for (std::size_t i = 0; i < order.size();) {
        const std::span<const PassItem> items{order.data() + i, order[i].is_paired ? 2U : 1U};
        i += items.size();
        std::vector<PartPass> places;
        bool adds_last = false;
        for (const PassItem& item : items) {
          PartPass& place = places.emplace_back(PartPass{.pass = item.pass, .part = item.chunk * stages + stage});
          place.is_first = item.pass == Pass::forward && !begun[item.chunk];
          if (item.pass == Pass::forward) begun[item.chunk] = true;
          place.is_last = item.pass == last_kind && --left[item.chunk] == 0;
          adds_last = adds_last || place.is_last;
        }
        auto time = pass_time(places);
        if (!time) return time.error();
        // A stream that every pass fills for longer than the chain takes sets the pace.
        const bool every_pass = plan_.job.zero_stage >= 2;
        // With sharded gradients every pass has traffic beside it; only the last one's may reach into the end of the
        // step.
        const graph::NodeId node = builder_.add_node(time->chain_ps + (every_pass && !adds_last ? time->beside_ps : 0));
        if (previous != graph::kNoNode) builder_.add_edge(previous, node, 0, 0);
        for (std::size_t k = 0; k < items.size(); ++k) {
          const PassItem& item = items[k];
          // The last layer's parameters are needed when the last layer begins.
          const std::uint32_t part = places[k].part, layers = plan_.first_layer(part + 1) - plan_.first_layer(part);
          if (places[k].is_first && gathered[item.chunk] != graph::kNoNode)
            // Parameters arrive layer by layer: only the last layer's share of the pass has to wait for the last of
            // them.
            builder_.add_edge(gathered[item.chunk], node, 0, -time->chain_ps * (layers - 1) / layers);
          if (item.pass == Pass::weight_gradient) continue;
          nodes_[place(item.pass, part, item.micro_batch)] = node;
          before_[place(item.pass, part, item.micro_batch)] = plan_.overlap.messages ? before_previous : previous;
        }
        if (adds_last && time->beside_ps > 0) besides_.push_back({stage, node, time->beside_ps});
        before_previous = previous;
        previous = node;
        busy_[stage].compute_ps += time->compute_ps;
        busy_[stage].exposed_ps += time->exposed_ps;
      }
      last_[stage] = previous;
    }
    return {};
  }

  /// Parameters that come together from the beginning on: by chunk, when the last of them are there.
  Status add_begin(std::uint32_t stage, std::vector<graph::NodeId>& gathered) {
    const LayerSchedule begin = schedules_.begin_of_step(stage);
    std::array<graph::NodeId, kParallelAxes> stream;
    stream.fill(graph::kNoNode);
    for (const LayerItem& item : begin) {
      auto price = priced({.collective = item.collective, .axis = item.axis, .bytes = item.bytes});
      if (!price) return price.error();
      const graph::NodeId node = builder_.add_node(*price);
      graph::NodeId& last = stream[static_cast<std::size_t>(item.axis)];
      if (last != graph::kNoNode) builder_.add_edge(last, node, 0, 0);
      last = node;
      std::uint32_t chunk = 0;
      // The chunk in which the layer lies: chunks of a stage are `stages` parts apart.
      while (plan_.first_layer(chunk * plan_.stages() + stage + 1) <= static_cast<std::uint32_t>(item.name.layer))
        ++chunk;
      gathered[chunk] = node;
    }
    return {};
  }

  void add_messages() {
    for (std::uint32_t part = 0; part + 1 < plan_.parts(); ++part) {
      for (std::uint32_t i = 0; i < plan_.micro_batches(); ++i) {
        connect(place(Pass::forward, part, i), place(Pass::forward, part + 1, i));
        connect(place(Pass::backward, part + 1, i), place(Pass::backward, part, i));
      }
    }
  }
  void connect(std::size_t from, std::size_t to) {
    if (plan_.stages() == 1) return;
    if (is_eager_ || before_[to] == graph::kNoNode)
      return static_cast<void>(builder_.add_edge(nodes_[from], nodes_[to], 0, message_ps_));
    // It moves when both sides are ready, so it is a node of its own.
    const graph::NodeId message = builder_.add_node(message_ps_);
    builder_.add_edge(nodes_[from], message, 0, 0);
    builder_.add_edge(before_[to], message, 0, 0);
    builder_.add_edge(message, nodes_[to], 0, 0);
  }

  /// The norm of all gradients is where stages meet.
  Status add_end() {
    const graph::NodeId norm = builder_.add_node(0);
    for (std::uint32_t stage = 0; stage < plan_.stages(); ++stage) {
      if (last_[stage] != graph::kNoNode) builder_.add_edge(last_[stage], norm, 0, 0);
    }
    for (const Beside& one : besides_) builder_.add_edge(one.pass, norm, 0, one.later_ps);
    for (std::uint32_t stage = 0; stage < plan_.stages(); ++stage) {
      auto time = time_of(schedules_.end_of_step(stage));
      if (!time) return time.error();
      builder_.add_edge(norm, builder_.add_node(time->chain_ps), 0, 0);
      busy_[stage].compute_ps += time->compute_ps;
      busy_[stage].exposed_ps += time->exposed_ps;
    }
    return {};
  }

  [[nodiscard]] std::size_t place(Pass pass, std::uint32_t part, std::uint32_t micro_batch) const {
    return (std::size_t{part} * 2 + (pass == Pass::forward ? 0 : 1)) * plan_.micro_batches() + micro_batch;
  }

  struct Beside {
    std::uint32_t stage;
    graph::NodeId pass;
    TimePs later_ps;
  };

  const StepPlan& plan_;
  const LayerSchedules schedules_;
  const std::vector<std::vector<PassItem>>& orders_;
  const CommPrice& price_;
  const bool is_eager_;
  const double exchange_slowdown_;
  TimePs message_ps_ = 0;
  graph::GraphBuilder builder_;
  std::map<CommQuestion, TimePs> prices_;
  std::map<std::pair<Alike, std::optional<Alike>>, ScheduleTime> known_;
  std::vector<graph::NodeId> nodes_;   // by place(): of the pass
  std::vector<graph::NodeId> before_;  // by place(): after which its message is received
  std::vector<graph::NodeId> last_;    // by stage
  std::vector<ScheduleTime> busy_;     // by stage: sums
  std::vector<Beside> besides_;
};

}  // namespace

Result<FoldedStep> folded_step(const StepPlan& plan, const StepTimes& times,
                               const std::vector<std::vector<PassItem>>& orders, const CommPrice& price,
                               const FoldingOptions& options) {
  return FoldedStepMaker(plan, times, orders, price, options).make();
}

}  // namespace orrery::llm

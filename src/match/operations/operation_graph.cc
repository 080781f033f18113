#include "match/operations/operation_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "base/numbers.h"
#include "match/operations/operation_columns.h"

// The reference is the first replica in the first step. Per stage: computes follow one another, messages belong to
// computes by their order, and what ends the step is a chain. Exchanges then join what belongs together across stages.

namespace orrery::match {
namespace {

using trace::EventIndex;
using trace::Field;

// The clocks of a worker's processes are this close; a message that began or ended further away moved nothing.
constexpr TimePs kClose = 50 * kPsPerUs;
constexpr std::array<std::string_view, 4> kMessages = {"forward-send", "forward-recv", "backward-send",
                                                       "backward-recv"};

struct SeenOperation {
  std::uint32_t operation = 0;
  TimePs start = 0, end = 0;
  std::int64_t chunk = -1, model_chunk = -1;
};

std::optional<std::int64_t> property_of(const trace::RankTrace& rank, std::string_view name) {
  for (const auto& [key, value] : rank.source.properties) {
    if (key == name) return parse_number<std::int64_t>(value);
  }
  return std::nullopt;
}

template <typename T>
std::uint32_t place_in(const std::vector<T>& sorted, const T& value) {
  return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

/// One stage of the reference: what happened there, by kind, in the order of starts.
class StageRules {
 public:
  StageRules(OperationGraph& graph, std::vector<SeenOperation> seen) : graph_(graph) {
    // Orders are by start, then number, then kind.
    std::sort(seen.begin(), seen.end(), [&](const SeenOperation& a, const SeenOperation& b) {
      const StepOperation &x = graph.operations[a.operation], &y = graph.operations[b.operation];
      return std::tie(a.start, x.number, x.kind) < std::tie(b.start, y.number, y.kind);
    });
    for (const SeenOperation& one : seen) by_kind_[graph.operations[one.operation].kind].push_back(one);
    for (const SeenOperation& one : seen) {
      const std::string& kind = graph.operations[one.operation].kind;
      if (kind == "forward-compute" || kind == "backward-compute") computes_.push_back(one);
      if (kind == "params-all-gather" || kind == "grads-reduce-scatter") shards_.push_back(one);
    }
  }

  /// `sides`: of messages, which of a chunk's sends and receives are there, in order, to be paired later.
  struct Sides {
    std::vector<std::uint32_t> sends, receives;
  };
  void add(std::int64_t last_chunk, std::map<std::pair<bool, std::int64_t>, Sides>& sides) {
    chain(computes_);
    for (const std::string_view kind : kMessages) chain(of(kind));
    chain(shards_);
    add_messages(true, last_chunk, sides);
    add_messages(false, last_chunk, sides);
    add_first_backward_messages();
    add_gathered_parameters();
    add_end_of_step();
  }

 private:
  const std::vector<SeenOperation>& of(std::string_view kind) { return by_kind_[std::string(kind)]; }

  void need(const SeenOperation& later, const SeenOperation& earlier) {
    graph_.operations[later.operation].needs.push_back(earlier.operation);
  }

  void chain(const std::vector<SeenOperation>& list) {
    for (std::size_t i = 1; i < list.size(); ++i) need(list[i], list[i - 1]);
  }

  /// The i-th message that moves something is that of the i-th compute of its direction.
  void add_messages(bool forward, std::int64_t last_chunk, std::map<std::pair<bool, std::int64_t>, Sides>& sides) {
    const std::vector<SeenOperation>& computes = of(forward ? "forward-compute" : "backward-compute");
    if (computes.empty()) return;
    std::vector<SeenOperation> receives, sends;
    for (const SeenOperation& one : of(forward ? "forward-recv" : "backward-recv")) {
      if (one.start <= computes.back().start + kClose) receives.push_back(one);
    }
    for (const SeenOperation& one : of(forward ? "forward-send" : "backward-send")) {
      if (one.end >= computes.front().end - kClose) sends.push_back(one);
    }
    const auto exists = [&](std::int64_t chunk) { return chunk >= 0 && chunk <= last_chunk; };
    // The first chunk of a model receives nothing for its first micro-batch.
    const std::size_t skipped = receives.size() + 1 == computes.size() ? 1 : 0;
    for (std::size_t i = 0; i < receives.size() && i + skipped < computes.size(); ++i) {
      const std::size_t c = i + skipped;
      need(computes[c], receives[i]);
      if (c > 0) need(receives[i], computes[c - 1]);
      const std::int64_t from = computes[c].model_chunk + (forward ? -1 : 1);
      if (exists(from)) sides[{forward, from}].receives.push_back(receives[i].operation);
    }
    for (std::size_t i = 0; i < sends.size() && i < computes.size(); ++i) {
      need(sends[i], computes[i]);
      if (exists(computes[i].model_chunk + (forward ? 1 : -1)))
        sides[{forward, computes[i].model_chunk}].sends.push_back(sends[i].operation);
    }
  }

  void add_first_backward_messages() {
    const std::vector<SeenOperation>& backward = of("backward-compute");
    if (backward.empty()) return;
    std::size_t place = 0;
    while (computes_[place].operation != backward.front().operation) ++place;
    if (place < 2) return;
    for (const std::string_view kind : {"backward-send", "backward-recv"}) {
      if (!of(kind).empty()) need(of(kind).front(), computes_[place - 2]);
    }
  }

  void add_gathered_parameters() {
    std::map<std::int64_t, const SeenOperation*> first, last;
    for (const SeenOperation& compute : of("forward-compute")) first.try_emplace(compute.chunk, &compute);
    for (const SeenOperation& gather : of("params-all-gather")) last[gather.chunk] = &gather;
    for (const auto& [chunk, compute] : first) {
      if (const auto gather = last.find(chunk); gather != last.end()) need(*compute, *gather->second);
    }
  }

  void add_end_of_step() {
    const std::vector<SeenOperation>& scatters = of("grads-reduce-scatter");
    const bool is_separate = !of("separate-grads-all-reduce").empty();
    std::vector<SeenOperation> end;
    const auto append = [&](std::string_view kind) { end.insert(end.end(), of(kind).begin(), of(kind).end()); };
    append("gc"), append("layernorm-grads-all-reduce"), append("embedding-grads-all-reduce");
    if (is_separate) append("separate-grads-all-reduce");
    else append("grads-reduce-scatter");
    append("optimizer-clip-main-grad"), append("optimizer");
    chain(end);
    const auto last = std::max_element(computes_.begin(), computes_.end(),
                                       [](const SeenOperation& a, const SeenOperation& b) { return a.end < b.end; });
    if (last != computes_.end() && !end.empty()) need(end.front(), *last);
    if (!is_separate) return;
    // Gradients of a chunk go out as soon as it is through, and what is summed apart comes behind them.
    if (!of("layernorm-grads-all-reduce").empty() && !scatters.empty())
      need(of("layernorm-grads-all-reduce").front(), scatters.back());
    std::map<std::int64_t, const SeenOperation*> last_backward;
    for (const SeenOperation& compute : of("backward-compute")) last_backward[compute.chunk] = &compute;
    for (const SeenOperation& scatter : scatters) {
      if (const auto at = last_backward.find(scatter.chunk); at != last_backward.end()) need(scatter, *at->second);
    }
  }

  OperationGraph& graph_;
  std::map<std::string, std::vector<SeenOperation>> by_kind_;
  std::vector<SeenOperation> computes_, shards_;
};

class GraphMaker {
 public:
  explicit GraphMaker(const trace::Trace& trace) : trace_(trace) {}

  Result<OperationGraph> make() {
    if (const Status found = find_workers(); !found) return found.error();
    list_operations();
    if (const Status alike = check_size(); !alike) return alike.error();
    measure();
    add_dependencies();
    add_exchanges();
    return std::move(graph_);
  }

 private:
  using Key = std::tuple<std::string_view, std::int64_t, std::uint32_t>;  // kind, number, stage

  Status find_workers() {
    for (const trace::RankTrace& rank : trace_.ranks) {
      const auto replica = property_of(rank, "dp_rank"), stage = property_of(rank, "stage");
      const trace::SparseColumn* const steps = find_named(rank, "of_step");
      if (rank.source.format != "training_operations" || !replica || !stage || steps == nullptr)
        return Error{"the straggler study's answer needs a table of training operations", rank.source.path,
                     Error::kNoOffset, "a table with the columns dp_rank, stage, rank, step, optype, start_ts, ..."};
      graph_.replicas.push_back(*replica);
      graph_.stages.push_back(*stage);
      graph_.steps.insert(graph_.steps.end(), steps->value.begin(), steps->value.end());
    }
    for (std::vector<std::int64_t>* const numbers : {&graph_.replicas, &graph_.stages, &graph_.steps}) {
      std::sort(numbers->begin(), numbers->end());
      numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
    }
    const std::size_t workers = graph_.replicas.size() * graph_.stages.size();
    graph_.worker.assign(workers, -1);
    graph_.node.assign(workers, 0);
    rank_of_.assign(workers, nullptr);
    for (const trace::RankTrace& rank : trace_.ranks) {
      const std::size_t place = place_in(graph_.replicas, *property_of(rank, "dp_rank")) * graph_.stages.size() +
                                place_in(graph_.stages, *property_of(rank, "stage"));
      graph_.worker[place] = rank.rank;
      graph_.node[place] = static_cast<std::uint32_t>(&rank - trace_.ranks.data());
      rank_of_[place] = &rank;
    }
    if (std::find(rank_of_.begin(), rank_of_.end(), nullptr) != rank_of_.end())
      return Error{fmt::format("{} data-parallel ranks of {} stages are {} workers, and the table has {}",
                               graph_.replicas.size(), graph_.stages.size(), workers, trace_.ranks.size()),
                   trace_.ranks.front().source.path, Error::kNoOffset, "was the table cut?"};
    return {};
  }

  /// Calls visit(operation's kind, number, step, event) for each operation of a worker.
  template <typename Visit>
  void each_operation(const trace::RankTrace& rank, Visit&& visit) {
    trace::InOrder numbers(rank.field(Field::sequence_number));
    const trace::SparseColumn& steps = *find_named(rank, "of_step");
    for (std::size_t i = 0; i < steps.event.size(); ++i) {
      const EventIndex event = steps.event[i];
      visit(trace_.name(rank, event), numbers.find(event, 0), steps.value[i], event);
    }
  }

  void list_operations() {
    for (std::uint32_t stage = 0; stage < graph_.stages.size(); ++stage) {
      std::vector<SeenOperation>& seen = seen_.emplace_back();
      const trace::RankTrace& rank = *rank_of_[stage];
      const trace::SparseColumn *const chunks = find_named(rank, "mc"), *const all = find_named(rank, "gmc");
      const auto value = [](const trace::SparseColumn* column, EventIndex e) {
        return column == nullptr ? -1 : column->find(e).value_or(-1);
      };
      each_operation(rank, [&](std::string_view kind, std::int64_t number, std::int64_t step, EventIndex event) {
        if (step != graph_.steps.front()) return;
        const auto place = static_cast<std::uint32_t>(graph_.operations.size());
        graph_.operations.push_back({std::string(kind), number, stage, {}, OperationGraph::kAlone});
        seen.push_back({place, rank.start[event], rank.end(event), value(chunks, event), value(all, event)});
        last_chunk_ = std::max(last_chunk_, seen.back().model_chunk);
      });
    }
    for (std::uint32_t o = 0; o < graph_.operations.size(); ++o) {
      const StepOperation& operation = graph_.operations[o];
      places_[{operation.kind, operation.number, operation.stage}] = o;
    }
  }

  /// The reference says what there is in every step: one that is unlike all others would make a table of gaps.
  Status check_size() const {
    std::size_t events = 0;
    for (const trace::RankTrace& rank : trace_.ranks) events += rank.event_count();
    constexpr std::size_t kMostPlaces = 16;  // per event
    const std::size_t steps = graph_.steps.size();
    if (steps == 0 || graph_.members() <= (kMostPlaces * events + 1'000'000) / steps) return {};
    return Error{"the steps of this table have too little in common", trace_.ranks.front().source.path,
                 Error::kNoOffset, "which operation needs which is told by the first of them"};
  }

  void measure() {
    graph_.measured.resize(graph_.steps.size() * graph_.replicas.size() * graph_.operations.size());
    for (std::size_t worker = 0; worker < rank_of_.size(); ++worker) {
      const auto stage = static_cast<std::uint32_t>(worker % graph_.stages.size());
      const std::size_t replica = worker / graph_.stages.size();
      const trace::RankTrace& rank = *rank_of_[worker];
      each_operation(rank, [&](std::string_view kind, std::int64_t number, std::int64_t step, EventIndex event) {
        const auto at = places_.find({kind, number, stage});
        if (at == places_.end()) return;  // the reference has no such operation, and so nothing knows what it needs
        const std::size_t place = place_in(graph_.steps, step) * graph_.replicas.size() + replica;
        graph_.measured[place * graph_.operations.size() + at->second] = {rank.start[event], rank.end(event), event,
                                                                          true};
      });
    }
  }

  void add_dependencies() {
    std::map<std::pair<bool, std::int64_t>, StageRules::Sides> sides;
    for (std::vector<SeenOperation>& seen : seen_) StageRules(graph_, std::move(seen)).add(last_chunk_, sides);
    for (const auto& [chunk, both] : sides) {
      for (std::size_t i = 0; i < std::min(both.sends.size(), both.receives.size()); ++i)
        join({both.sends[i], both.receives[i]}, false);
    }
  }

  void add_exchanges() {
    std::map<std::int64_t, std::vector<std::uint32_t>> embeddings, clips;
    for (std::uint32_t o = 0; o < graph_.operations.size(); ++o) {
      const StepOperation& operation = graph_.operations[o];
      if (operation.kind == "embedding-grads-all-reduce") embeddings[operation.number].push_back(o);
      if (operation.kind == "optimizer-clip-main-grad") clips[operation.number].push_back(o);
      const bool is_of_replicas = operation.kind == "params-all-gather" || operation.kind == "grads-reduce-scatter" ||
                                  operation.kind == "separate-grads-all-reduce";
      if (is_of_replicas) join({o}, true);
    }
    for (auto& [number, members] : embeddings) join(std::move(members), false);
    for (auto& [number, members] : clips) join(std::move(members), true);
  }

  void join(std::vector<std::uint32_t> operations, bool of_all_replicas) {
    for (const std::uint32_t o : operations)
      graph_.operations[o].exchange = static_cast<std::uint32_t>(graph_.exchanges.size());
    graph_.exchanges.push_back({std::move(operations), of_all_replicas});
  }

  const trace::Trace& trace_;
  OperationGraph graph_;
  std::vector<const trace::RankTrace*> rank_of_;  // as OperationGraph::worker
  std::vector<std::vector<SeenOperation>> seen_;  // by stage
  std::map<Key, std::uint32_t> places_;
  std::int64_t last_chunk_ = -1;
};

}  // namespace

Result<OperationGraph> make_operation_graph(const trace::Trace& trace) { return GraphMaker(trace).make(); }

}  // namespace orrery::match

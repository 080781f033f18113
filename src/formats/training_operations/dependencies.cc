#include "formats/training_operations/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/training_operations/diagnostics.h"
#include "match/operations/executed_job.h"
#include "match/operations/operation_columns.h"

namespace orrery::training_operations {
namespace {

using match::ExecutedJob;
using match::MeasuredOperation;
using match::OperationExchange;
using match::OperationGraph;
using match::StepOperation;
using trace::Field;

/// As collectives are called elsewhere. What clips gradients sums their norms.
std::string_view collective_of(std::string_view kind) {
  if (kind == "params-all-gather") return "allgather";
  return kind == "grads-reduce-scatter" ? "reduce_scatter" : "allreduce";
}

/// Who takes part in an exchange of one replica, or of all of them.
struct ExchangeGroup {
  StringId name = 0, ranks = 0;
  std::vector<std::int64_t> members;
};

class ColumnWriter {
 public:
  ColumnWriter(trace::Trace& job, const OperationGraph& graph, const ExecutedJob& executed)
      : job_(job), graph_(graph), executed_(executed), width_(graph.operations.size()) {
    groups_.resize(graph.exchanges.size() * graph.replicas.size());
    for (std::size_t e = 0; e < graph.exchanges.size(); ++e) {
      const std::size_t groups = graph.exchanges[e].of_all_replicas ? 1 : graph.replicas.size();
      for (std::size_t r = 0; r < groups; ++r) groups_[e * graph.replicas.size() + r] = group_of(e, r);
    }
  }

  void write() {
    for (std::size_t worker = 0; worker < graph_.node.size(); ++worker) {
      list_rows(worker);
      write_needs(job_.ranks[graph_.node[worker]]);
      write_exchanges(job_.ranks[graph_.node[worker]], worker / graph_.stages.size());
    }
  }

 private:
  struct Row {
    trace::EventIndex event = 0;
    std::size_t place = 0;  // in OperationGraph::measured
  };

  [[nodiscard]] ExchangeGroup group_of(std::size_t exchange, std::size_t replica) {
    const OperationExchange& of = graph_.exchanges[exchange];
    ExchangeGroup group;
    for (std::size_t r = 0; r < graph_.replicas.size(); ++r) {
      if (!of.of_all_replicas && r != replica) continue;
      for (const std::uint32_t operation : of.operations)
        group.members.push_back(graph_.worker[r * graph_.stages.size() + graph_.operations[operation].stage]);
    }
    const StepOperation& first = graph_.operations[of.operations.front()];
    std::string name;
    if (is_message(first)) name = first.kind.starts_with("forward") ? "forward messages" : "backward messages";
    else if (of.of_all_replicas && of.operations.size() > 1) name = "all workers";
    else if (of.of_all_replicas) name = fmt::format("replicas of stage {}", graph_.stages[first.stage]);
    else name = fmt::format("embeddings of replica {}", graph_.replicas[replica]);
    group.name = job_.strings.intern(name);
    // Of a message its two sides are told apart; other groups are listed in the order of ranks.
    if (!is_message(first)) std::sort(group.members.begin(), group.members.end());
    group.ranks = job_.strings.intern(fmt::format("[{}]", fmt::join(group.members, ", ")));
    return group;
  }

  static bool is_message(const StepOperation& operation) {
    return operation.kind.ends_with("-send") || operation.kind.ends_with("-recv");
  }

  /// The operations of a worker in the order of its events, since columns are.
  void list_rows(std::size_t worker) {
    const std::size_t replica = worker / graph_.stages.size(), stage = worker % graph_.stages.size();
    rows_.clear();
    for (std::size_t step = 0; step < graph_.steps.size(); ++step) {
      const std::size_t first = (step * graph_.replicas.size() + replica) * width_;
      for (std::size_t o = 0; o < width_; ++o) {
        const MeasuredOperation& one = graph_.measured[first + o];
        if (graph_.operations[o].stage == stage && one.is_there) rows_.push_back({one.event, first + o});
      }
    }
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.event < b.event; });
  }

  void write_needs(trace::RankTrace& rank) {
    trace::SparseColumn needs, starts, ends;
    std::string text;
    for (const Row& row : rows_) {
      starts.push(row.event, executed_.operations[row.place].start);
      ends.push(row.event, executed_.operations[row.place].end);
      const std::span<const std::uint32_t> needed = executed_.needs_of(row.place);
      if (needed.empty()) continue;
      const std::size_t first = row.place / width_ * width_;  // of its replica and step
      text = '[';
      for (const std::uint32_t operation : needed)
        fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? ", " : "",
                       graph_.measured[first + operation].event);
      needs.push(row.event, job_.strings.intern(text += ']'));
    }
    rank.arguments.named(match::kNeedsColumn, trace::ValueType::text) = std::move(needs);
    rank.arguments.named(match::kExecutedStartColumn, trace::ValueType::integer) = std::move(starts);
    rank.arguments.named(match::kExecutedEndColumn, trace::ValueType::integer) = std::move(ends);
  }

  void write_exchanges(trace::RankTrace& rank, std::size_t replica) {
    for (const Row& row : rows_) {
      const StepOperation& operation = graph_.operations[row.place % width_];
      if (operation.exchange == OperationGraph::kAlone) continue;
      const bool is_of_all = graph_.exchanges[operation.exchange].of_all_replicas;
      const ExchangeGroup& group = groups_[operation.exchange * graph_.replicas.size() + (is_of_all ? 0 : replica)];
      const bool is_send = operation.kind.ends_with("-send"), is_one_side = is_message(operation);
      // A single replica gathers from nobody, and a stage needs no message from itself.
      if (group.members.size() < 2 || (is_one_side && group.members[0] == group.members[1])) continue;
      const std::string_view what = !is_one_side ? collective_of(operation.kind) : is_send ? "send" : "recv";
      rank.field(Field::collective_text).push(row.event, job_.strings.intern(what));
      rank.field(Field::operation_text).push(row.event, job_.strings.intern(operation.kind));
      rank.field(Field::group_name_text).push(row.event, group.name);
      const std::size_t step = row.place / graph_.members();
      rank.field(Field::collective_sequence)
          .push(row.event, static_cast<std::int64_t>(step * graph_.exchanges.size() + operation.exchange));
      // The sender is listed first.
      if (is_one_side)
        rank.field(is_send ? Field::destination_rank : Field::source_rank)
            .push(row.event, group.members[is_send ? 1 : 0]);
      else rank.field(Field::group_ranks_text).push(row.event, group.ranks);
    }
  }

  trace::Trace& job_;
  const OperationGraph& graph_;
  const ExecutedJob& executed_;
  std::size_t width_;
  std::vector<ExchangeGroup> groups_;  // by exchange, then replica; of all replicas the first stands for all
  std::vector<Row> rows_;
};

void remark_missing(const OperationGraph& graph, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < graph.measured.size(); ++i) {
    if (graph.measured[i].is_there) continue;
    diagnostics.add(kMissingOperation, [&] {
      const StepOperation& operation = graph.operations[i % graph.operations.size()];
      return fmt::format("{} {} of stage {}", operation.kind, operation.number, graph.stages[operation.stage]);
    });
  }
}

}  // namespace

void add_dependencies(trace::Trace& job, Diagnostics& diagnostics) {
  const Result<OperationGraph> graph = match::make_operation_graph(job);
  if (!graph) {
    diagnostics.add(kNoDependencies, [&] { return graph.error().message; });
    return;
  }
  remark_missing(*graph, diagnostics);
  const auto order = match::find_execution_order(*graph);
  if (!order) {
    diagnostics.add(kNoDependencies, [] { return std::string("operations wait for one another in a circle"); });
    return;
  }
  const ExecutedJob executed = match::execute_job(*graph, *order);
  if (executed.contradicted != 0) diagnostics.add_many(kContradictedNeed, executed.contradicted, {});
  ColumnWriter(job, *graph, executed).write();
}

}  // namespace orrery::training_operations

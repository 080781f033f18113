#include "analyze/straggler/straggler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "base/statistics.h"
#include "match/operations/execution_order.h"

// A job is executed from its graph again and again, each time with other lengths: those that were measured, those of
// an ideal job in which all operations of a kind take the same time, or one for some workers and the other for the
// rest.

namespace orrery::analyze {
namespace {

using match::ExecutedUnit;
using match::MeasuredOperation;
using match::OperationGraph;
using match::StepOperation;

// Clocks of workers differ by less; an exchange that ends further before its last member comes was recorded wrongly.
constexpr double kClockError = 10.0 * kPsPerMs;
constexpr double kWorstShare = 0.03;  // of the workers

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Messages of a direction count as one kind.
std::string counted_as(const std::string& kind) {
  if (kind == "forward-send" || kind == "forward-recv") return "forward-pp-comm";
  if (kind == "backward-send" || kind == "backward-recv") return "backward-pp-comm";
  return kind;
}

class Execution {
 public:
  /// Whether an operation of a replica takes the time that was measured; else the ideal one.
  using Chosen = std::function<bool(std::size_t replica, std::uint32_t operation)>;

  Execution(const OperationGraph& graph, const std::vector<ExecutedUnit>& order)
      : graph_(graph), width_(graph.operations.size()), order_(order) {
    find_lengths();
  }

  /// When the last optimizer of each step ends.
  [[nodiscard]] std::vector<double> run(const Chosen& is_measured) const {
    std::vector<std::uint8_t> measured(graph_.replicas.size() * width_);
    for (std::size_t i = 0; i < measured.size(); ++i)
      measured[i] = is_measured(i / width_, static_cast<std::uint32_t>(i % width_)) ? 1 : 0;
    std::vector<double> ends(graph_.steps.size(), 0), end(measured.size());
    for (std::size_t step = 0; step < graph_.steps.size(); ++step) {
      for (const ExecutedUnit& unit : order_) {
        double start = 0;
        for (const std::uint32_t member : unit.members) {
          const std::size_t first = member / width_ * width_;  // of its replica
          for (const std::uint32_t needed : graph_.operations[member % width_].needs)
            start = std::max(start, end[first + needed]);
        }
        for (const std::uint32_t member : unit.members) {
          const std::size_t operation = member % width_;
          end[member] = start + (measured[member] != 0 ? length_[step * measured.size() + member] : ideal_[operation]);
          if (graph_.operations[operation].kind == "optimizer") ends[step] = std::max(ends[step], end[member]);
        }
      }
    }
    return ends;
  }

 private:
  /// Work is as long as it was measured; of an exchange, what it took beyond the last arrival.
  void find_lengths() {
    const std::size_t members = graph_.members();
    length_.assign(graph_.steps.size() * members, 0);
    std::map<std::string, std::vector<double>> by_kind;
    for (std::size_t step = 0; step < graph_.steps.size(); ++step) {
      for (const ExecutedUnit& unit : order_) {
        std::optional<TimePs> latest;
        for (const std::uint32_t member : unit.members) {
          const MeasuredOperation& one = graph_.at(step, member / width_, member % width_);
          if (one.is_there) latest = std::max(latest.value_or(one.start), one.start);
        }
        for (const std::uint32_t member : unit.members) {
          const MeasuredOperation& one = graph_.at(step, member / width_, member % width_);
          if (!one.is_there) continue;
          double length = static_cast<double>(one.end - (unit.is_exchange ? *latest : one.start));
          if (length <= -kClockError) length = 0;
          length_[step * members + member] = length;
          by_kind[graph_.operations[member % width_].kind].push_back(length);
        }
      }
    }
    std::map<std::string, double> typical;
    for (auto& [name, lengths] : by_kind) {
      const std::string& kind = name;
      const bool is_exchange = std::any_of(graph_.operations.begin(), graph_.operations.end(), [&](const auto& one) {
        return one.kind == kind && one.exchange != OperationGraph::kAlone;
      });
      // Outliers of waits are many; of work they are what the mean is about.
      typical[kind] = is_exchange || kind == "layernorm-grads-all-reduce" ? median(lengths) : mean_of(lengths);
    }
    for (const StepOperation& operation : graph_.operations) ideal_.push_back(typical[operation.kind]);
    for (std::size_t step = 0; step < graph_.steps.size(); ++step) {
      for (std::size_t member = 0; member < members; ++member) {
        if (!graph_.at(step, member / width_, member % width_).is_there)
          length_[step * members + member] = ideal_[member % width_];
      }
    }
  }

  const OperationGraph& graph_;
  std::size_t width_;
  const std::vector<ExecutedUnit>& order_;
  std::vector<double> length_;  // by step, then member
  std::vector<double> ideal_;   // by operation
};

}  // namespace

Result<StragglerStudy> study_stragglers(const match::OperationGraph& graph, const std::string& path) {
  const auto order = match::find_execution_order(graph);
  if (!order)
    return Error{"operations of this table wait for one another in a circle", path, Error::kNoOffset,
                 "are its numbers those of one job?"};
  const Execution execution(graph, *order);
  StragglerStudy study;
  const std::vector<double> measured = execution.run([](std::size_t, std::uint32_t) { return true; });
  const std::vector<double> ideal = execution.run([](std::size_t, std::uint32_t) { return false; });
  study.measured = mean_of(measured), study.ideal = mean_of(ideal);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) study.steps.push_back({graph.steps[i], measured[i], ideal[i]});
  const auto slowdown_by = [&](const Execution::Chosen& chosen) {
    const double time = mean_of(execution.run(chosen));
    return study.ideal > 0 ? time / study.ideal : 1;
  };
  const auto& operations = graph.operations;
  std::vector<std::string> kinds;
  kinds.reserve(operations.size());
  for (const StepOperation& operation : operations) kinds.push_back(counted_as(operation.kind));
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  for (const std::string& kind : kinds)
    study.operations.push_back({.what = kind, .factor = slowdown_by([&](std::size_t, std::uint32_t o) {
                                                return counted_as(operations[o].kind) == kind;
                                              })});
  for (std::size_t r = 0; r < graph.replicas.size(); ++r)
    study.replicas.push_back({.rank = graph.replicas[r],
                              .factor = slowdown_by([&](std::size_t replica, std::uint32_t) { return replica == r; })});
  for (std::size_t s = 0; s < graph.stages.size(); ++s)
    study.stages.push_back({.rank = graph.stages[s], .factor = slowdown_by([&](std::size_t, std::uint32_t o) {
                                                       return operations[o].stage == s;
                                                     })});
  for (std::size_t w = 0; w < graph.worker.size(); ++w) {
    const std::size_t r = w / graph.stages.size(), s = w % graph.stages.size();
    study.workers.push_back({.rank = graph.worker[w],
                             .replica = graph.replicas[r],
                             .stage = graph.stages[s],
                             .factor = std::min(study.replicas[r].factor, study.stages[s].factor)});
  }
  std::vector<std::size_t> worst(study.workers.size());
  for (std::size_t w = 0; w < worst.size(); ++w) worst[w] = w;
  std::sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
    const auto &x = study.workers[a], &y = study.workers[b];
    return x.factor != y.factor ? x.factor > y.factor : x.rank < y.rank;
  });
  worst.resize(static_cast<std::size_t>(std::ceil(kWorstShare * static_cast<double>(worst.size()))));
  std::vector<std::uint8_t> is_worst(study.workers.size(), 0);
  for (const std::size_t w : worst) is_worst[w] = 1;
  const double lost = study.measured - study.ideal;
  const auto share_of = [&](const Execution::Chosen& chosen) {
    return lost != 0 ? (study.measured - mean_of(execution.run(chosen))) / lost : 0;
  };
  study.workers_share = share_of([&](std::size_t replica, std::uint32_t o) {
    return is_worst[replica * graph.stages.size() + operations[o].stage] == 0;
  });
  study.last_stage_share =
      share_of([&](std::size_t, std::uint32_t o) { return operations[o].stage + 1 != graph.stages.size(); });
  return study;
}

namespace {

using report::Sheet;
using report::Type;
using report::Unit;

Sheet slowdowns(const char* name, const char* column, const char* title,
                const std::vector<StragglerStudy::Slowdown>& rows) {
  Sheet sheet(name);
  sheet.add({.name = column, .type = Type::integer, .title = title, .decimals = report::kExact})
      .add({.name = "slowdown", .type = Type::real, .title = "slowdown", .decimals = 4});
  for (const StragglerStudy::Slowdown& row : rows) sheet.add_row({row.rank, row.factor});
  return sheet;
}

}  // namespace

Sheet straggler_operations_sheet(const StragglerStudy& study) {
  Sheet sheet("operations");
  sheet.add({.name = "what", .title = "operation"})
      .add({.name = "slowdown", .type = Type::real, .title = "slowdown", .decimals = 4});
  for (const StragglerStudy::Slowdown& row : study.operations) sheet.add_row({row.what, row.factor});
  return sheet;
}

Sheet straggler_replicas_sheet(const StragglerStudy& study) {
  return slowdowns("dp_ranks", "dp_rank", "data-parallel rank", study.replicas);
}

Sheet straggler_stages_sheet(const StragglerStudy& study) {
  return slowdowns("stages", "stage", "stage", study.stages);
}

Sheet straggler_workers_sheet(const StragglerStudy& study) {
  Sheet sheet("workers");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "dp_rank", .type = Type::integer, .title = "data-parallel rank", .decimals = report::kExact})
      .add({.name = "stage", .type = Type::integer, .title = "stage", .decimals = report::kExact})
      .add({.name = "slowdown", .type = Type::real, .title = "slowdown", .decimals = 4});
  for (const StragglerStudy::Slowdown& row : study.workers)
    sheet.add_row({row.rank, row.replica, row.stage, row.factor});
  return sheet;
}

Sheet straggler_steps_sheet(const StragglerStudy& study) {
  Sheet sheet("steps");
  sheet.add({.name = "step", .type = Type::integer, .title = "step", .decimals = report::kExact})
      .add({.name = "slowdown", .type = Type::real, .title = "slowdown", .decimals = 4})
      .add({.name = "measured", .type = Type::time, .unit = Unit::us, .title = "takes"})
      .add({.name = "ideal", .type = Type::time, .unit = Unit::us, .title = "ideally"});
  for (const StragglerStudy::Step& row : study.steps)
    sheet.add_row({row.step, row.ideal > 0 ? row.measured / row.ideal : 1.0, std::llround(row.measured),
                   std::llround(row.ideal)});
  return sheet;
}

}  // namespace orrery::analyze

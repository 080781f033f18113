#include "ask/graphs/compared_run.h"

#include <optional>
#include <utility>

#include "causal/diagnostics.h"
#include "trace/select_events.h"

namespace orrery::ask {
namespace {

/// Which of the steps are compared: [first, last].
Result<std::pair<std::size_t, std::size_t>> choose_steps(const std::string& operand, const Instances& instances,
                                                         std::size_t count) {
  if (instances.first) {
    const std::size_t last = instances.last.value_or(*instances.first);
    if (last < count) return std::pair{*instances.first, last};
    return Error{"there are " + std::to_string(count) + " steps that all ranks have; instance " + std::to_string(last) +
                     " does not exist",
                 operand, Error::kNoOffset, "instances count from 0, by start"};
  }
  // The first and the last often carry the profiler's own start and stop.
  const std::size_t skip = count > 2 ? 1 : 0;
  return std::pair{skip, count - 1 - skip};
}

/// The graph of a window. Whoever asks about one rank knows that the others are not there: that it waits for nobody is
/// no remark.
Result<causal::CausalGraph> compared_graph(const job::RecordedJob& job, const job::JobWindow& window,
                                           Diagnostics& diagnostics) {
  if (job.trace().ranks.size() > 1) return job.graph(window, {}, diagnostics);
  Diagnostics remarks;
  Result<causal::CausalGraph> graph = job.graph(window, {}, remarks);
  for (Diagnostic& remark : remarks.sorted()) {
    const bool about_others = remark.kind == &causal::kRankWithoutFile || remark.kind == &causal::kAbsentMembers ||
                              remark.kind == &causal::kNoPartners;
    if (!about_others) diagnostics.add_many(*remark.kind, remark.count, std::move(remark.example));
  }
  return graph;
}

/// The operators of a run, where it is compared by them.
class ComparedOperators {
 public:
  ComparedOperators(const job::RecordedJob& job, CompareBy by) : job_(job) {
    if (by == CompareBy::operators) operators_.emplace(job.trace(), job.timelines());
  }
  [[nodiscard]] analyze::OwnerOperators of_owners(const causal::CausalGraph& graph) {
    return operators_ ? operators_->of_owners(graph) : analyze::OwnerOperators();
  }
  [[nodiscard]] analyze::OperatorGroups device_work(const job::JobWindow& window) {
    return operators_ ? operators_->groups(window.ranks)
                      : analyze::kernel_groups(job_.trace(), job_.timelines(), window.ranks);
  }

 private:
  const job::RecordedJob& job_;
  std::optional<analyze::RunOperators> operators_;
};

causal::DeviceClock clock_of(const job::RecordedJob& job, const job::JobWindow& window) {
  causal::DeviceClock clock;
  for (std::size_t r = 0; r < window.ranks.size(); ++r) {
    const trace::RankTrace& rank = job.trace().ranks[r];
    clock.add(causal::find_device_clock(job.trace(), rank, job.timelines()[r], window.ranks[r]));
  }
  return clock;
}

Result<analyze::ComparedRun> whole_recording(Context& context, const job::RecordedJob& job, CompareBy by) {
  const auto window = job.window({.annotation = ""}, context.diagnostics());
  if (!window) return window.error();
  auto graph = compared_graph(job, *window, context.diagnostics());
  if (!graph) return graph.error();
  const TimePs span = graph->span;
  ComparedOperators operators(job, by);
  analyze::ComparedRun run{
      .steps = {graph->label}, .spans = {span}, .interval = std::nullopt, .step = std::move(*graph), .is_whole = true};
  run.operators = operators.of_owners(run.step);
  run.device_work = operators.device_work(*window);
  run.clock = clock_of(job, *window);
  return run;
}

}  // namespace

Status check_alike(const analyze::ComparedRun& a, const analyze::ComparedRun& b, const std::string& name_of_a,
                   const std::string& name_of_b) {
  if (a.is_whole == b.is_whole) return {};
  const auto& [whole, stepped] = a.is_whole ? std::pair(name_of_a, name_of_b) : std::pair(name_of_b, name_of_a);
  return Error{"this recording has no steps, and " + stepped + " has: a whole trace is not compared with a step", whole,
               Error::kNoOffset,
               "--annotation '' compares the whole traces of both; --annotation TEXT what both call so"};
}

Result<TwoRuns> load_two_runs(Context& context, const std::string& operand, RecordingRequest recording, CompareBy by) {
  recording.files = context.named_by(operand);
  Result<trace::Trace> both =
      load_own_trace(context, recording, {.far_clocks = true, .operands = by == CompareBy::operators});
  if (!both) return both.error();
  const bool are_runs = both->ranks.size() > 1 && both->ranks.front().source.is_run;
  if (both->ranks.size() != 2 || !are_runs) {
    return Error{both->ranks.size() < 2 ? "this is one run"
                 : are_runs             ? "these are " + std::to_string(both->ranks.size()) + " runs"
                                        : "these are the ranks of one run",
                 operand, Error::kNoOffset, "name two runs, A and B; a folder alone is enough if it holds two",
                 Error::Kind::misuse};
  }
  trace::Trace second = trace::copy_of(*both);
  second.ranks.erase(second.ranks.begin());
  both->ranks.resize(1);
  const std::string name_of_a = both->ranks.front().source.path, name_of_b = second.ranks.front().source.path;
  auto a = job::RecordedJob::make(std::move(*both), job::ClockChoice::one, context.diagnostics());
  if (!a) return a.error();
  auto b = job::RecordedJob::make(std::move(second), job::ClockChoice::one, context.diagnostics());
  if (!b) return b.error();
  return TwoRuns{std::move(*a), std::move(*b), name_of_a, name_of_b};
}

Result<analyze::ComparedRun> compared_run(Context& context, const job::RecordedJob& job, const std::string& name,
                                          const WindowChoice& window, CompareBy by, analyze::PieceClasses& classes) {
  const auto& [annotation, instances] = window;
  if (annotation && annotation->empty()) return whole_recording(context, job, by);
  const auto windows = job.steps(annotation, context.diagnostics());
  if (!windows) return windows.error();
  if (windows->empty()) {
    if (!annotation && !instances.first) return whole_recording(context, job, by);
    return Error{"no host event's name contains \"" + annotation.value_or("ProfilerStep#") + "\"", name,
                 Error::kNoOffset, "see the annotations with: orrery info"};
  }
  const auto chosen = choose_steps(name, instances, windows->size());
  if (!chosen) return chosen.error();

  analyze::ComparedRun run;
  const auto [first, last] = *chosen;
  for (std::size_t i = first; i <= last; ++i) run.spans.push_back((*windows)[i].span());
  run.median = analyze::lower_median_place(run.spans);
  run.interval = analyze::median_interval(run.spans);
  Diagnostics said;  // about steps that were looked at already
  const auto all = job.window({.annotation = annotation, .first_instance = first, .last_instance = last}, said);
  if (!all) return all.error();
  auto graph = compared_graph(job, *all, context.diagnostics());
  if (!graph) return graph.error();
  run.steps = graph->steps;
  run.clock = clock_of(job, *all);
  ComparedOperators operators(job, by);
  run.operators = operators.of_owners(*graph);
  run.times = analyze::class_step_times(*graph, analyze::classes_of(*graph, classes, &run.operators));
  if (run.steps.size() > 1) {
    graph = compared_graph(job, (*windows)[first + run.median], said);
    if (!graph) return graph.error();
    run.operators = operators.of_owners(*graph);
  }
  run.step = std::move(*graph);
  run.device_work = operators.device_work((*windows)[first + run.median]);
  return run;
}

}  // namespace orrery::ask

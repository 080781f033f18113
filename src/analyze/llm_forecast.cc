#include "analyze/llm_forecast.h"

#include <algorithm>
#include <map>

#include "llm/step_source.h"
#include "simulate/native.h"
#include "workload/source.h"

namespace orrery::analyze {
namespace {

using llm::ParallelAxis;
using simulate::Schedule;
using workload::ActivityKind;

struct Interval {
  TimePs from = 0, to = 0;
};

/// Sorted, disjoint intervals, from which others are taken away.
class Gaps {
 public:
  explicit Gaps(TimePs end) : gaps_{{0, end}} {}

  /// Takes `busy`, sorted by their starts, away; returns how much of the gaps they covered.
  TimePs cover(const std::vector<Interval>& busy) {
    std::vector<Interval> left;
    TimePs covered = 0;
    std::size_t at = 0;
    for (Interval gap : gaps_) {
      while (at > 0 && busy[at - 1].to > gap.from) --at;  // one that reaches over into this gap
      for (; at < busy.size() && busy[at].from < gap.to; ++at) {
        if (busy[at].to <= gap.from) continue;
        if (busy[at].from > gap.from) left.push_back({gap.from, busy[at].from});
        const TimePs to = std::min(busy[at].to, gap.to);
        covered += to - std::max(gap.from, busy[at].from);
        gap.from = to;
        if (gap.from >= gap.to) break;
      }
      if (gap.from < gap.to) left.push_back(gap);
    }
    gaps_ = std::move(left);
    return covered;
  }
  [[nodiscard]] TimePs sum() const {
    TimePs total = 0;
    for (const Interval& gap : gaps_) total += gap.to - gap.from;
    return total;
  }

 private:
  std::vector<Interval> gaps_;
};

void sort_and_join(std::vector<Interval>& list) {
  std::sort(list.begin(), list.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  std::size_t kept = 0;
  for (const Interval& one : list) {
    if (kept > 0 && one.from <= list[kept - 1].to) list[kept - 1].to = std::max(list[kept - 1].to, one.to);
    else list[kept++] = one;
  }
  list.resize(kept);
}

/// Looks at one executed rank of each stage.
class StageReader {
 public:
  StageReader(const llm::StepPlan& plan, const workload::Workload& workload, const Schedule& schedule)
      : plan_(plan), workload_(workload), schedule_(schedule), makespan_(schedule.makespan_ps()) {
    std::vector<std::uint64_t> first;
    std::uint64_t sum = 0;
    const std::size_t executed = schedule.executed_ranks.empty() ? workload.rank_count() : schedule.executed_ranks.size();
    first_.assign(plan.stages(), 0);
    std::vector<bool> found(plan.stages(), false);
    for (std::size_t i = 0; i < executed; ++i) {
      const std::uint32_t rank = schedule.executed_ranks.empty() ? static_cast<std::uint32_t>(i) : schedule.executed_ranks[i];
      const std::uint32_t stage = workload.program_of_rank[rank];
      if (!found[stage]) first_[stage] = sum, found[stage] = true;
      sum += workload.program(rank).size();
    }
    for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) note_sends(stage);
  }

  [[nodiscard]] TimePs start(std::uint32_t stage, std::size_t activity) const { return schedule_.start_ps[first_[stage] + activity]; }
  [[nodiscard]] TimePs end(std::uint32_t stage, std::size_t activity) const { return schedule_.end_ps[first_[stage] + activity]; }

  [[nodiscard]] StageTimes times(std::uint32_t stage) {
    const workload::Program& program = workload_.programs[stage];
    std::vector<Interval> compute;
    std::array<std::vector<Interval>, llm::kParallelAxes> moving;
    std::map<std::int64_t, std::size_t> received;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const Interval whole{start(stage, i), end(stage, i)};
      switch (program.kinds[i]) {
        case ActivityKind::compute: compute.push_back(whole); break;
        case ActivityKind::collective: {
          const auto axis = static_cast<std::size_t>(program.lanes[i] - 1);
          // Ranks of a stage come together; where stages meet, the early ones wait for the last, which is the pipeline's doing.
          const bool across = axis == static_cast<std::size_t>(ParallelAxis::model);
          moving[axis].push_back({across ? std::min(std::max(whole.from, stages_meet_), whole.to) : whole.from, whole.to});
          break;
        }
        case ActivityKind::recv: {
          const std::vector<TimePs>& sent = sends_[program.tags[i]];
          const std::size_t place = received[program.tags[i]]++;
          const TimePs begins = place < sent.size() ? std::max(whole.from, sent[place]) : whole.from;
          moving[static_cast<std::size_t>(ParallelAxis::pipeline)].push_back({std::min(begins, whole.to), whole.to});
          break;
        }
        default: break;
      }
    }
    StageTimes result;
    Gaps gaps(makespan_);
    sort_and_join(compute);
    result.compute_ps = gaps.cover(compute);
    for (std::size_t axis = 0; axis < llm::kParallelAxes; ++axis) {
      sort_and_join(moving[axis]);
      result.exposed_ps[axis] = gaps.cover(moving[axis]);
    }
    result.bubble_ps = gaps.sum();
    return result;
  }

 private:
  /// Tags tell which part receives, and what: so they are unique among all stages.
  void note_sends(std::uint32_t stage) {
    const workload::Program& program = workload_.programs[stage];
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] == ActivityKind::send) sends_[program.tags[i]].push_back(start(stage, i));
      const bool meets = program.kinds[i] == ActivityKind::collective && program.lanes[i] == llm::lane_of(ParallelAxis::model);
      if (meets) stages_meet_ = std::max(stages_meet_, start(stage, i));
    }
  }

  const llm::StepPlan& plan_;
  const workload::Workload& workload_;
  const Schedule& schedule_;
  const TimePs makespan_;
  std::vector<std::uint64_t> first_;                   // per stage: of its executed rank's activities
  std::map<std::int64_t, std::vector<TimePs>> sends_;  // by tag, in order
  TimePs stages_meet_ = 0;                             // when the last stage comes to the norm of all gradients
};

Result<simulate::PricedRun> run(const LlmForecastInput& input, const workload::Workload& workload, Diagnostics& diagnostics,
                                const PricedRunner& runner) {
  simulate::EngineOptions options = simulate::engine_options(input.machine);
  options.compute_slots = 1;
  options.launch_latency_ps = 0;  // what software and launches cost is part of the passes' times
  options.detail = input.detail;
  auto source = workload::WholeWorkload::of(workload);
  if (!source) return source.error();
  if (runner) return runner(*source, input.machine, input.network, options, diagnostics);
  return simulate::run_priced(*source, input.machine, input.network, options, diagnostics);
}

void take_times(const llm::StepPlan& plan, const llm::StepSource& source, LlmForecast& forecast) {
  StageReader reader(plan, forecast.workload, forecast.run.schedule);
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    forecast.stages.push_back(reader.times(stage));
    std::vector<TimePs>& ends = forecast.pass_end_ps.emplace_back();
    std::uint64_t begin = 0;
    for (const std::uint64_t end : source.pass_ends(stage)) {
      TimePs last = 0;
      for (std::uint64_t i = begin; i < end; ++i) {
        if (forecast.workload.programs[stage].kinds[i] == ActivityKind::compute) last = std::max(last, reader.end(stage, i));
      }
      ends.push_back(last);
      begin = end;
    }
  }
}

}  // namespace

TimePs StageTimes::exposed_sum() const {
  TimePs sum = 0;
  for (const TimePs one : exposed_ps) sum += one;
  return sum;
}

Result<LlmForecast> forecast_step(const LlmForecastInput& input, Diagnostics& diagnostics, const PricedRunner& runner) {
  const llm::StepPlan& plan = input.plan;
  const llm::StepTimes times = llm::step_times(input.catalog, input.device, plan);
  const auto orders =
      llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), llm::compute_durations(plan, times));
  auto source = llm::step_source(plan, times, orders);
  if (!source) return source.error();
  LlmForecast forecast;
  auto collected = workload::collect(**source);
  if (!collected) return collected.error();
  forecast.workload = std::move(*collected);
  auto run_outcome = run(input, forecast.workload, diagnostics, runner);
  if (!run_outcome) return run_outcome.error();
  forecast.run = std::move(*run_outcome);
  forecast.step_ps = forecast.run.schedule.makespan_ps();
  const double seconds = static_cast<double>(forecast.step_ps) * 1e-12;
  forecast.tokens_per_s = plan.job.global_batch * plan.job.sequence / seconds;
  forecast.flop = llm::model_flop(plan);
  forecast.devices = plan.ranks();
  const double peak = input.device.peak_flops(plan.precision);
  forecast.mfu_pct = peak > 0 ? 100 * forecast.flop / (seconds * peak * forecast.devices) : 0;
  take_times(plan, **source, forecast);
  forecast.memory_bytes = input.device.memory_bytes();
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    forecast.memory.push_back(llm::stage_memory(plan, input.memory, stage, orders[stage]));
    if (forecast.memory[stage].peak.sum() > forecast.memory[forecast.fullest_stage].peak.sum()) forecast.fullest_stage = stage;
  }
  auto path = simulate::critical_path(forecast.workload, forecast.run.schedule);
  if (!path) return path.error();
  forecast.path = std::move(*path);
  return forecast;
}

}  // namespace orrery::analyze

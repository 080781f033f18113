#include "analyze/forecast/llm_sweep.h"

#include "analyze/forecast/llm_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analyze/forecast/llm_forecast.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "llm/steps/layer_model.h"
#include "llm/steps/step_source.h"
#include "report/bar.h"
#include "report/style.h"

// Every point of the sweep is a folded step, solved by shares of neighbouring points side by side and packed as text,
// so that points may also come from other processes or a checkpoint. Ranked are those that fit first, then by time; the
// best few are run in the simulator to confirm them.

namespace orrery::analyze {
namespace {

using report::Type;
using report::Unit;

/// Plans of one share of the sweep; each share has prices of its own, so that threads need not wait for one another.
class SweepShare {
 public:
  SweepShare(const LlmForecastInput& input, LlmPrices prices) : input_(input), prices_(std::move(prices)) {
    if (input.machine.communication.rendezvous_threshold_bytes)
      options_.eager_limit_bytes = *input.machine.communication.rendezvous_threshold_bytes;
  }

  Result<SweepEntry> run(const llm::StepPlan& plan) {
    const llm::StepTimes times = llm::step_times(input_.catalog, input_.device, plan);
    std::vector<llm::PassDurations> durations;
    // Only this order depends on how long passes take.
    if (plan.order == llm::PipelineOrder::zero_bubble) durations = llm::compute_durations(plan, times);
    const auto orders = llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), durations,
                                             plan.overlap.experts);
    options_.exchange_slowdown = llm::exchange_slowdown(plan, input_.device);
    const auto folded = llm::folded_step(plan, times, orders, prices_.for_plan(plan), options_);
    if (!folded) return folded.error();
    SweepEntry entry{.plan = plan, .step_ps = folded->step_ps};
    const double seconds = static_cast<double>(entry.step_ps) * 1e-12;
    entry.tokens_per_s = plan.job.global_batch * plan.job.sequence / seconds;
    entry.mfu_pct = 100 * llm::model_flop(plan) / (seconds * input_.device.peak_flops(plan.precision) * plan.ranks());
    for (const std::uint32_t stage : {std::uint32_t{0}, plan.stages() - 1})  // between them nobody has more
      entry.peak_bytes = std::max(entry.peak_bytes, llm::peak_memory(plan, input_.memory, stage).sum());
    entry.fits = entry.peak_bytes <= input_.device.memory_bytes();
    return entry;
  }

 private:
  const LlmForecastInput& input_;
  LlmPrices prices_;
  llm::FoldingOptions options_;
};

std::string pack_entry(const SweepEntry& entry) {
  return PackedWriter()
      // 1: there is an answer; 0 is followed by the reason why not.
      .number(1)
      .integer(entry.step_ps)
      .real(entry.tokens_per_s)
      .real(entry.mfu_pct)
      .real(entry.peak_bytes)
      .number(entry.fits)
      .take();
}

SweepEntry unpack_entry(const llm::StepPlan& plan, PackedReader& reader) {
  SweepEntry entry{.plan = plan};
  entry.step_ps = reader.integer();
  entry.tokens_per_s = reader.real();
  entry.mfu_pct = reader.real();
  entry.peak_bytes = reader.real();
  entry.fits = reader.number() != 0;
  return entry;
}

void mark_front(std::vector<SweepEntry>& entries) {
  std::vector<std::size_t> by_time(entries.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  // By time, and of equal times by memory, so that one pass finds the Pareto front.
  std::stable_sort(by_time.begin(), by_time.end(), [&](std::size_t a, std::size_t b) {
    return entries[a].step_ps != entries[b].step_ps ? entries[a].step_ps < entries[b].step_ps
                                                    : entries[a].peak_bytes < entries[b].peak_bytes;
  });
  double smallest = std::numeric_limits<double>::infinity();
  for (const std::size_t i : by_time) {
    // Slower, and no smaller than one that is faster.
    if (entries[i].peak_bytes >= smallest) continue;
    entries[i].on_front = true;
    smallest = entries[i].peak_bytes;
  }
}

}  // namespace

std::vector<Result<std::string>> LlmPlanSweep::solve(std::span<const std::size_t> points) const {
  std::vector<std::string> answers(points.size());
  // Neighbours ask for the same prices, so a share is a run of them.
  // More shares than threads, since points differ in what they take.
  const std::size_t shares = std::min<std::size_t>(points.size(), thread_count() == 1 ? 1 : 4 * thread_count());
  std::vector<std::optional<Error>> broken(shares);
  parallel_for(shares, [&](std::size_t share) {
    auto prices = LlmPrices::on(input_.machine);
    if (!prices) return static_cast<void>(broken[share] = prices.error());
    SweepShare runner(input_, std::move(*prices));
    for (std::size_t i = points.size() * share / shares; i < points.size() * (share + 1) / shares; ++i) {
      const auto entry = runner.run(all_.plans[points[i]]);
      answers[i] = entry ? pack_entry(*entry) : PackedWriter().number(0).text(entry.error().message).take();
    }
  });
  std::vector<Result<std::string>> results;
  for (const std::optional<Error>& error : broken) {
    if (error) return {points.size(), Result<std::string>(*error)};
  }
  results.reserve(answers.size());
  for (std::string& answer : answers) results.emplace_back(std::move(answer));
  return results;
}

Result<LlmSweep> rank_plans(const LlmPlanSweep& plans, std::span<const std::string> answers, std::size_t confirmed,
                            Diagnostics& diagnostics) {
  const LlmForecastInput& input = plans.input();
  LlmSweep sweep;
  sweep.impossible = plans.plans().impossible;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    PackedReader reader(answers[i]);
    if (reader.number() != 0) {
      sweep.entries.push_back(unpack_entry(plans.plans().plans[i], reader));
    } else {
      const std::string_view why = reader.text();
      if (sweep.unpriced++ == 0) sweep.first_unpriced = why;
    }
    if (!reader.ok())
      return Error{"a point of the sweep cannot be read", {}, Error::kNoOffset, "remove the checkpoint"};
  }
  mark_front(sweep.entries);
  std::stable_sort(sweep.entries.begin(), sweep.entries.end(), [](const SweepEntry& a, const SweepEntry& b) {
    // Plans that fit come first, however slow.
    return a.fits != b.fits ? a.fits : a.step_ps < b.step_ps;
  });
  // Only those that fit are worth confirming.
  for (std::size_t i = 0; i < std::min(confirmed, sweep.entries.size()) && sweep.entries[i].fits; ++i) {
    const LlmForecastInput one{input.catalog, sweep.entries[i].plan, input.device,
                               input.machine, input.network,         input.memory};
    const auto run = forecast_step(one, diagnostics);
    if (!run) return run.error();
    sweep.entries[i].in_loop_ps = run->step_ps;
  }
  for (SweepEntry& one : sweep.entries)
    one.interval = published_interval(input.catalog, one.plan, one.in_loop_ps.value_or(one.step_ps));
  return sweep;
}

report::Sheet llm_sweep_sheet(const LlmSweep& sweep) {
  report::Sheet sheet("sweep");
  const auto count = [&](const char* name, const char* title) {
    sheet.add({.name = name, .type = Type::integer, .title = title});
  };
  count("rank", "");
  count("tensor", "tensor");
  count("context", "context");
  count("pipeline", "stages");
  count("chunks", "chunks");
  count("expert", "expert");
  count("data", "data");
  count("micro_batch", "micro-batch");
  count("zero", "ZeRO");
  sheet.add({.name = "recompute", .title = "recompute"}).add({.name = "order", .title = "order"});
  sheet.add({.name = "step", .type = Type::time, .unit = Unit::us, .title = "step"})
      .add({.name = "in_loop", .type = Type::time, .unit = Unit::us, .title = "in loop"})
      .add({.name = "low", .type = Type::time, .unit = Unit::us})
      .add({.name = "high", .type = Type::time, .unit = Unit::us})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "basis"})
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s"})
      .add({.name = "mfu", .type = Type::real, .unit = Unit::pct, .title = "MFU"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "memory"})
      .add({.name = "fits", .type = Type::flag, .title = "fits"})
      .add({.name = "front", .type = Type::flag, .title = "front"});
  for (std::size_t i = 0; i < sweep.entries.size(); ++i) {
    const SweepEntry& one = sweep.entries[i];
    const llm::ParallelJob& job = one.plan.job;
    const IntervalCells interval = interval_cells(one.interval);
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    sheet.add_row({i + 1,
                   whole(job.tensor),
                   whole(job.context),
                   whole(job.pipeline),
                   whole(job.interleave),
                   whole(job.expert),
                   whole(job.data),
                   whole(job.micro_batch),
                   job.zero_stage,
                   llm::kRecomputationNames[static_cast<std::size_t>(job.recomputation)],
                   llm::kPipelineOrderNames[static_cast<std::size_t>(one.plan.order)],
                   one.step_ps,
                   one.in_loop_ps ? report::Cell(*one.in_loop_ps) : report::Cell(nullptr),
                   interval.low,
                   interval.high,
                   interval.text,
                   interval.basis,
                   one.tokens_per_s,
                   one.mfu_pct,
                   whole(one.peak_bytes),
                   one.fits,
                   one.on_front});
  }
  return sheet;
}

report::Sheet llm_impossible_sheet(const LlmSweep& sweep) {
  report::Sheet sheet("impossible");
  sheet.add({.name = "field", .title = "impossible because of"})
      .add({.name = "plans", .type = Type::integer, .title = "plans"});
  for (const auto& [field, plans] : sweep.impossible) sheet.add_row({field, plans});
  return sheet;
}

std::string pareto_plot(const LlmSweep& sweep, double memory_bytes, std::size_t columns) {
  constexpr std::size_t kRows = 12, kMargin = 12;
  if (sweep.entries.empty()) return {};
  const std::size_t width = std::clamp<std::size_t>(columns, 40, 120) - kMargin;
  double fastest = std::numeric_limits<double>::infinity(), slowest = 0, largest = memory_bytes;
  // So many marks fill any drawing.
  const std::size_t shown = std::min<std::size_t>(sweep.entries.size(), 2000);
  for (std::size_t i = 0; i < shown; ++i) {
    const SweepEntry& one = sweep.entries[i];
    fastest = std::min(fastest, static_cast<double>(one.step_ps));
    slowest = std::max(slowest, static_cast<double>(one.step_ps));
    // Plans that need far too much are drawn at the upper end, or they would squeeze all others.
    largest = std::max(largest, std::min(one.peak_bytes, 2 * memory_bytes));
  }
  // Times spread over orders of magnitude: their logarithm is shown.
  // Equal times have no span to divide by.
  const double span = std::max(1e-9, std::log(slowest / fastest));
  std::vector<std::string> rows(kRows, std::string(width, ' '));
  // The front last, so that its marks are on top.
  for (const bool front : {false, true}) {
    for (std::size_t i = 0; i < shown; ++i) {
      const SweepEntry& one = sweep.entries[i];
      if (one.on_front != front) continue;
      const auto x = static_cast<std::size_t>(std::log(static_cast<double>(one.step_ps) / fastest) / span *
                                              static_cast<double>(width - 1));
      const auto y = static_cast<std::size_t>(std::min(one.peak_bytes, largest) / largest * (kRows - 1));
      rows[kRows - 1 - y][x] = front ? '*' : one.fits ? 'o' : 'x';
    }
  }
  const auto limit = kRows - 1 - static_cast<std::size_t>(memory_bytes / largest * (kRows - 1));
  std::string text = "memory\n";
  for (std::size_t row = 0; row < kRows; ++row) {
    const double bytes = largest * static_cast<double>(kRows - 1 - row) / (kRows - 1);
    text += fmt::format("{:>8.1f} GB {}{}\n", bytes / 1e9, row == limit ? '-' : '|', rows[row]);
  }
  text +=
      fmt::format("{:>12}{} to {} per step (logarithmic); * nothing is faster and smaller, o fits, x does not fit\n",
                  "", report::plain_digits(fastest * 1e-12, 3), report::plain_digits(slowest * 1e-12, 3) + " s");
  return text;
}

}  // namespace orrery::analyze

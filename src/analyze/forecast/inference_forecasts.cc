#include "analyze/forecast/inference_forecasts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/forecast/llm_sheets.h"
#include "base/percent.h"
#include "llm/serving/inference_source.h"

// A request is simulated in a few rounds only: the prompt, and tokens at some contexts in between, since a token's time
// is nearly linear in its context. The rest is a sum over straight lines, whose error is estimated from every second
// sample. Continuous batching is read off a steady state: what a prompt adds to the token of the others.

namespace orrery::analyze {

Result<MatrixForecast> forecast_matrix(const MatrixInput& input, Diagnostics& diagnostics) {
  const llm::MatrixPlan& plan = input.plan;
  auto workload = llm::matrix_workload(plan, input.device);
  if (!workload) return workload.error();
  MatrixForecast forecast;
  forecast.workload = std::move(*workload);
  auto run = run_planned(forecast.workload, input.machine, input.network, input.kept, diagnostics);
  if (!run) return run.error();
  forecast.run = std::move(*run);
  forecast.time_ps = forecast.run.schedule.makespan_ps();
  forecast.times = StageReader(forecast.workload, forecast.run.schedule).times(0, 0, forecast.time_ps);
  forecast.devices = plan.devices();
  const double rate = plan.flop() / (static_cast<double>(forecast.time_ps) * 1e-12) / forecast.devices;
  forecast.tflops = rate * 1e-12;
  forecast.efficiency_pct = 100 * rate / input.device.peak_flops(plan.precision);
  forecast.peak_bytes = llm::matrix_bytes(plan);
  forecast.memory_bytes = input.device.memory_bytes();
  return forecast;
}

namespace {

constexpr double kSecondsPerPs = 1e-12;

/// The sum over all whole contexts from the first to the last, times in between on straight lines.
double sum_of_tokens(const std::vector<TokenTime>& samples) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto here = static_cast<double>(samples[i].time_ps);
    sum += here;
    if (i + 1 == samples.size()) break;
    // The contexts strictly between two samples have the mean of both, on average.
    const double between = samples[i + 1].context - samples[i].context - 1;
    sum += between * (here + static_cast<double>(samples[i + 1].time_ps)) / 2;
  }
  return sum;
}

/// With twice the distance between samples the error of straight lines is four times as large: the difference of both
/// sums is three times the error.
double interpolation_error(const std::vector<TokenTime>& samples) {
  if (samples.size() < 3 || samples.size() % 2 == 0) return 0;
  std::vector<TokenTime> half;
  for (std::size_t i = 0; i < samples.size(); i += 2) half.push_back(samples[i]);
  const double all = sum_of_tokens(samples);
  return all > 0 ? std::abs(sum_of_tokens(half) - all) / 3 / all : 0;
}

/// Reads the answers off the schedule.
class InferenceReader {
 public:
  InferenceReader(const llm::InferencePlan& plan, const std::vector<llm::Round>& rounds,
                  const llm::InferenceWorkload& made, InferenceForecast& forecast)
      : plan_(plan),
        rounds_(rounds),
        begins_(made.begins),
        ends_(made.ends),
        forecast_(forecast),
        reader_(forecast.workload, forecast.run.schedule) {}

  void read_static() {
    const TimePs prefilled = end_of(0, rounds_[0].micro_batches - 1);
    forecast_.first_token_ps = prefilled;
    for (std::size_t i = 1; i < rounds_.size(); ++i) {
      if (rounds_[i].is_measured) forecast_.tokens.push_back({rounds_[i].visit.context, time_of(i)});
    }
    const double later = plan_.generate - 1, sum = later > 0 ? spread_out(later) : 0;
    forecast_.token_ps = later > 0 ? static_cast<TimePs>(std::llround(sum / later)) : 0;
    forecast_.token_error_pct = 100 * interpolation_error(forecast_.tokens);
    forecast_.latency_ps = prefilled + static_cast<TimePs>(std::llround(sum));
    forecast_.all_tokens_per_s =
        plan_.batch * plan_.generate / (static_cast<double>(forecast_.latency_ps) * kSecondsPerPs);
    // Up to the first part's last token: the others' belong to a steady state.
    take_stages(0, prefilled, prefilled, std::max(prefilled, end_of(rounds_.size() - 1, 0)));
  }

  void read_continuous(double queued_share) {
    // The last three: tokens, a prompt, tokens.
    const std::size_t last = rounds_.size() - 1;
    const TimePs token = time_of(last - 2), with_prompt = end_of(last, 0) - end_of(last - 2, 0);
    const auto added = static_cast<double>(std::max<TimePs>(0, with_prompt - token));
    // In a pipeline a prompt delays others by the time of a stage, and itself takes that of all.
    const auto first = static_cast<double>(end_of(last - 1, 0) - reader_.start(0, begins_[last - 1]));
    const double others = plan_.replica_requests() - 1;
    // Each of the others reads its prompt once while this one makes its tokens: spread over them evenly.
    const double between = static_cast<double>(token) + others * added / plan_.generate;
    forecast_.tokens.push_back({rounds_[last].visit.context, token});
    forecast_.first_token_ps = static_cast<TimePs>(std::llround(first + others * queued_share * added));
    forecast_.token_ps = static_cast<TimePs>(std::llround(between));
    forecast_.latency_ps = forecast_.first_token_ps + static_cast<TimePs>(std::llround(plan_.generate * between));
    forecast_.all_tokens_per_s =
        plan_.batch * plan_.generate / (static_cast<double>(forecast_.latency_ps) * kSecondsPerPs);
    take_stages(reader_.start(0, begins_[last - 1]), end_of(last - 1, 0), end_of(last - 3, 0), end_of(last - 2, 0));
  }

 private:
  [[nodiscard]] TimePs end_of(std::size_t round, std::uint32_t part) const {
    return reader_.end(static_cast<std::uint32_t>(forecast_.workload.programs.size()) - 1, ends_[round][part]);
  }
  /// From one token of the first micro-batch to its next.
  [[nodiscard]] TimePs time_of(std::size_t round) const { return end_of(round, 0) - end_of(round - 1, 0); }

  /// All tokens but the first, together.
  [[nodiscard]] double spread_out(double later) const {
    if (forecast_.tokens.size() == 1) return later * static_cast<double>(forecast_.tokens[0].time_ps);
    return sum_of_tokens(forecast_.tokens);
  }
  /// What stages do while prompts are read, and while tokens are made.
  void take_stages(TimePs prefill_from, TimePs prefill_to, TimePs decode_from, TimePs decode_to) {
    for (std::uint32_t stage = 0; stage < forecast_.workload.programs.size(); ++stage) {
      forecast_.prefill.push_back(reader_.times(stage, prefill_from, prefill_to));
      forecast_.decode.push_back(reader_.times(stage, decode_from, decode_to));
    }
    forecast_.prefill_ps = prefill_to - prefill_from;
    forecast_.decode_ps = decode_to - decode_from;
  }

  const llm::InferencePlan& plan_;
  const std::vector<llm::Round>& rounds_;
  const std::vector<std::uint32_t>& begins_;
  const std::vector<std::vector<std::uint32_t>>& ends_;
  InferenceForecast& forecast_;
  StageReader reader_;
};

void take_memory(const InferenceInput& input, InferenceForecast& forecast) {
  forecast.memory_bytes = input.device.memory_bytes();
  for (std::uint32_t stage = 0; stage < input.plan.shape.stages(); ++stage) {
    const llm::InferenceMemory& one =
        forecast.memory.emplace_back(llm::inference_memory(input.plan, input.memory, stage));
    if (one.sum() > forecast.memory[forecast.fullest_stage].sum()) forecast.fullest_stage = stage;
    // What the device has for caches, when weights and workspace are there and a part is lost to fragments.
    const double left = forecast.memory_bytes / (1 + input.memory.fragmentation_share) - one.weights - one.workspace;
    const double requests = std::max(0.0, std::floor(left / one.cache_per_request)) * input.plan.shape.job.data;
    forecast.most_requests = stage == 0 ? requests : std::min(forecast.most_requests, requests);
  }
}

}  // namespace

namespace {

/// What was published of first tokens, tokens and requests like these; an empty name: nothing.
struct PublishedKinds {
  std::string_view first_token = {}, token = {}, latency = {};
};

PublishedKinds published_kinds(const llm::InferencePlan& plan) {
  const bool is_eager = plan.stack == llm::ServingStack::pytorch_eager;
  // Nobody published pipelines of requests, or a loop of requests in eager mode.
  if (plan.shape.stages() > 1) return {};
  if (plan.batching == llm::Batching::fixed && is_eager) return {"eager prefill", "eager decode", "eager decode"};
  if (plan.batching == llm::Batching::fixed) return {.latency = "serving e2e_latency"};
  if (is_eager) return {};
  return {"continuous first_token", "continuous token", "continuous latency"};
}

void take_intervals(const InferenceInput& input, InferenceForecast& forecast) {
  const PublishedKinds kinds = published_kinds(input.plan);
  forecast.first_token_interval = published_interval(input.catalog, kinds.first_token, forecast.first_token_ps);
  forecast.token_interval = published_interval(input.catalog, kinds.token, forecast.token_ps);
  forecast.latency_interval = published_interval(input.catalog, kinds.latency, forecast.latency_ps);
}

}  // namespace

Result<InferenceForecast> forecast_inference(const InferenceInput& input, Diagnostics& diagnostics) {
  const std::vector<llm::Round> rounds = llm::rounds_of(input.plan);
  std::vector<llm::VisitTimes> times;
  times.reserve(rounds.size());
  for (const llm::Round& round : rounds)
    times.push_back(llm::visit_times(input.catalog, input.device, input.plan, round.visit));
  auto made = llm::inference_workload(input.plan, rounds, times);
  if (!made) return made.error();
  InferenceForecast forecast;
  forecast.workload = std::move(made->workload);
  auto run = run_planned(forecast.workload, input.machine, input.network, input.kept, diagnostics);
  if (!run) return run.error();
  forecast.run = std::move(*run);
  forecast.devices = input.plan.shape.ranks();
  InferenceReader reader(input.plan, rounds, *made, forecast);
  if (input.plan.batching == llm::Batching::continuous)
    reader.read_continuous(input.catalog.serving.queued_prefill_share);
  else reader.read_static();
  if (forecast.token_ps > 0) forecast.tokens_per_s = 1 / (static_cast<double>(forecast.token_ps) * kSecondsPerPs);
  take_memory(input, forecast);
  take_intervals(input, forecast);
  return forecast;
}

namespace {

using report::Type;
using report::Unit;

report::SheetColumn time_column(const char* name, const char* title) {
  return {.name = name, .type = Type::time, .unit = Unit::us, .title = title};
}
report::SheetColumn share_column(const char* title) {
  return {.name = "share", .type = Type::real, .unit = Unit::pct, .title = title, .with_bar = true};
}

/// Adds what the stages spend on one thing, if they do.
void add_mean(report::Sheet& sheet, const char* phase, const std::string& what, const std::vector<StageTimes>& stages,
              TimePs whole, const auto& time_of) {
  double sum = 0;
  for (const StageTimes& one : stages) sum += static_cast<double>(time_of(one));
  const double mean = stages.empty() ? 0 : sum / static_cast<double>(stages.size());
  if (mean > 0) sheet.add_row({phase, what, static_cast<TimePs>(mean), share_percent(mean, whole)});
}

void add_phase(report::Sheet& sheet, const char* phase, const std::vector<StageTimes>& stages, TimePs whole) {
  add_mean(sheet, phase, "computing", stages, whole, [](const StageTimes& one) { return one.compute_ps; });
  for (std::size_t axis = 0; axis < llm::kParallelAxes; ++axis) {
    add_mean(sheet, phase, fmt::format("{} communication", llm::kParallelAxisNames[axis]), stages, whole,
             [&](const StageTimes& one) { return one.exposed_ps[axis]; });
  }
  add_mean(sheet, phase, "waiting", stages, whole, [](const StageTimes& one) { return one.bubble_ps; });
}

}  // namespace

report::Sheet inference_sheet() {
  report::Sheet sheet("inference");
  sheet.add({.name = "name", .title = "configuration"})
      .add({.name = "devices", .type = Type::integer, .title = "devices"})
      .add(time_column("first_token", "first token"))
      .add(time_column("first_token_low", ""))
      .add(time_column("first_token_high", ""))
      .add(time_column("token", "per token"))
      .add(time_column("token_low", ""))
      .add(time_column("token_high", ""))
      .add({.name = "token_error", .type = Type::real, .unit = Unit::pct, .title = "+-"})
      .add(time_column("latency", "request"))
      .add(time_column("latency_low", ""))
      .add(time_column("latency_high", ""))
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "basis"})
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s each"})
      .add({.name = "all_tokens_per_s", .type = Type::real, .title = "in all"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "peak memory"})
      .add({.name = "fits", .type = Type::flag, .title = "fits"});
  return sheet;
}

void add_inference(report::Sheet& sheet, const std::string& name, const InferenceForecast& forecast) {
  const IntervalCells first = interval_cells(forecast.first_token_interval),
                      token = interval_cells(forecast.token_interval),
                      latency = interval_cells(forecast.latency_interval);
  sheet.add_row({name, static_cast<std::int64_t>(forecast.devices), forecast.first_token_ps, first.low, first.high,
                 forecast.token_ps, token.low, token.high, forecast.token_error_pct, forecast.latency_ps, latency.low,
                 latency.high, latency.text, latency.basis, forecast.tokens_per_s, forecast.all_tokens_per_s,
                 static_cast<std::int64_t>(forecast.memory[forecast.fullest_stage].sum()), forecast.fits()});
}

report::Sheet inference_phases_sheet(const InferenceForecast& forecast) {
  report::Sheet sheet("phases");
  sheet.add({.name = "phase", .title = "phase"})
      .add({.name = "axis", .title = "time goes to"})
      .add(time_column("time", "mean"))
      .add(share_column("of the phase"));
  add_phase(sheet, "prefill", forecast.prefill, forecast.prefill_ps);
  if (forecast.decode_ps > 0) add_phase(sheet, "decode", forecast.decode, forecast.decode_ps);
  return sheet;
}

report::Sheet inference_tokens_sheet(const InferenceForecast& forecast) {
  report::Sheet sheet("tokens");
  sheet.add({.name = "context", .type = Type::integer, .title = "context"}).add(time_column("time", "token"));
  for (const TokenTime& one : forecast.tokens) sheet.add_row({static_cast<std::int64_t>(one.context), one.time_ps});
  return sheet;
}

report::Sheet inference_memory_sheet(const InferenceForecast& forecast) {
  report::Sheet sheet("memory");
  sheet.add({.name = "part", .title = fmt::format("memory of stage {}", forecast.fullest_stage)})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add(share_column("of the device"));
  const llm::InferenceMemory& peak = forecast.memory[forecast.fullest_stage];
  const auto add = [&](const char* part, double bytes) {
    sheet.add_row({part, static_cast<std::int64_t>(bytes), share_percent(bytes, forecast.memory_bytes)});
  };
  add("weights", peak.weights);
  add("cache", peak.cache);
  add("workspace", peak.workspace);
  add("fragmentation", peak.unused);
  add("all", peak.sum());
  return sheet;
}

report::Sheet products_sheet() {
  report::Sheet sheet("products");
  sheet.add({.name = "name", .title = "configuration"})
      .add({.name = "devices", .type = Type::integer, .title = "devices"})
      .add(time_column("time", "time"))
      .add({.name = "tflops", .type = Type::real, .title = "TFLOP/s each"})
      .add({.name = "efficiency", .type = Type::real, .unit = Unit::pct, .title = "of the peak"})
      .add({.name = "exposed_share", .type = Type::real, .unit = Unit::pct, .title = "exposed"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "memory"})
      .add({.name = "fits", .type = Type::flag, .title = "fits"});
  return sheet;
}

void add_product(report::Sheet& sheet, const std::string& name, const MatrixForecast& forecast) {
  sheet.add_row({name, static_cast<std::int64_t>(forecast.devices), forecast.time_ps, forecast.tflops,
                 forecast.efficiency_pct, share_percent(forecast.times.exposed_sum(), forecast.time_ps),
                 static_cast<std::int64_t>(forecast.peak_bytes), forecast.fits()});
}

report::Sheet product_axes_sheet(const MatrixForecast& forecast) {
  report::Sheet sheet("axes");
  sheet.add({.name = "axis", .title = "time goes to"}).add(time_column("time", "time")).add(share_column("of all"));
  const auto add = [&](const std::string& name, TimePs time) {
    if (time > 0) sheet.add_row({name, time, share_percent(time, forecast.time_ps)});
  };
  add("computing", forecast.times.compute_ps);
  for (std::size_t axis = 0; axis < llm::kMatrixAxisNames.size(); ++axis)
    add(fmt::format("communication along a {}", llm::kMatrixAxisNames[axis]), forecast.times.exposed_ps[axis]);
  add("waiting", forecast.times.bubble_ps);
  return sheet;
}

}  // namespace orrery::analyze

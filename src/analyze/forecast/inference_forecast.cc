#include "analyze/forecast/inference_forecast.h"

#include <algorithm>
#include <cmath>

#include "llm/serving/inference_source.h"

namespace orrery::analyze {
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

/// With twice the distance between samples the error of straight lines is four times as large: the difference of both sums is three times the error.
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
  InferenceReader(const llm::InferencePlan& plan, const std::vector<llm::Round>& rounds, const llm::InferenceWorkload& made,
                  InferenceForecast& forecast)
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
    forecast_.all_tokens_per_s = plan_.batch * plan_.generate / (static_cast<double>(forecast_.latency_ps) * kSecondsPerPs);
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
    const double between = static_cast<double>(token) + others * added / plan_.generate;
    forecast_.tokens.push_back({rounds_[last].visit.context, token});
    forecast_.first_token_ps = static_cast<TimePs>(std::llround(first + others * queued_share * added));
    forecast_.token_ps = static_cast<TimePs>(std::llround(between));
    forecast_.latency_ps = forecast_.first_token_ps + static_cast<TimePs>(std::llround(plan_.generate * between));
    forecast_.all_tokens_per_s = plan_.batch * plan_.generate / (static_cast<double>(forecast_.latency_ps) * kSecondsPerPs);
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
    const llm::InferenceMemory& one = forecast.memory.emplace_back(llm::inference_memory(input.plan, input.memory, stage));
    if (one.sum() > forecast.memory[forecast.fullest_stage].sum()) forecast.fullest_stage = stage;
    const double left = forecast.memory_bytes / (1 + input.memory.fragmentation_share) - one.weights - one.workspace;
    const double requests = std::max(0.0, std::floor(left / one.cache_per_request)) * input.plan.shape.job.data;
    forecast.most_requests = stage == 0 ? requests : std::min(forecast.most_requests, requests);
  }
}

}  // namespace

Result<InferenceForecast> forecast_inference(const InferenceInput& input, Diagnostics& diagnostics) {
  const std::vector<llm::Round> rounds = llm::rounds_of(input.plan);
  std::vector<llm::VisitTimes> times;
  times.reserve(rounds.size());
  for (const llm::Round& round : rounds) times.push_back(llm::visit_times(input.catalog, input.device, input.plan, round.visit));
  auto made = llm::inference_workload(input.plan, rounds, times);
  if (!made) return made.error();
  InferenceForecast forecast;
  forecast.workload = std::move(made->workload);
  auto run = run_planned(forecast.workload, input.machine, input.network, input.kept, diagnostics);
  if (!run) return run.error();
  forecast.run = std::move(*run);
  forecast.devices = input.plan.shape.ranks();
  InferenceReader reader(input.plan, rounds, *made, forecast);
  if (input.plan.batching == llm::Batching::continuous) reader.read_continuous(input.catalog.serving.queued_prefill_share);
  else reader.read_static();
  if (forecast.token_ps > 0) forecast.tokens_per_s = 1 / (static_cast<double>(forecast.token_ps) * kSecondsPerPs);
  take_memory(input, forecast);
  return forecast;
}

}  // namespace orrery::analyze

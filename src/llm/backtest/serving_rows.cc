#include "llm/backtest/serving_rows.h"

#include "llm/backtest/row_models.h"
#include "llm/serving/closed_loop.h"
#include "llm/serving/serving.h"

namespace orrery::llm {
namespace {

constexpr double kMillisecondsPerSecond = 1e3;

std::optional<double> serving_value(const ServingConstants& c, const machine::Device& device, const Architecture& model,
                                    const BacktestRow& row) {
  if (!row.sequence || model.hybrid) return std::nullopt;
  const double prompt = *row.sequence, tokens = row.output_tokens.value_or(1), batch = row.global_batch.value_or(1);
  const Deployment all{.tensor = row.tensor, .batch = batch};
  // The cache grows while tokens are made: half of them are there on average.
  const double token = token_seconds(device, c, model, all, prompt + tokens / 2);
  if (row.metric == "e2e_latency") return prompt_seconds(device, c, model, all, prompt) + (tokens - 1) * token;
  if (row.metric == "decode_time") return tokens * token;
  // Continuous batching: prefills of other requests come between the tokens of one.
  const double first = prompt_seconds(device, c, model, {.tensor = row.tensor, .batch = 1}, prompt);
  const double between = token + (batch - 1) * first / tokens;
  const double waited = first * (1 + (batch - 1) * c.queued_prefill_share);
  if (row.metric == "itl" || row.metric == "tpot") return between * kMillisecondsPerSecond;
  if (row.metric == "ttft") return waited * kMillisecondsPerSecond;
  if (row.metric == "throughput") return batch * tokens / (waited + tokens * between);
  return std::nullopt;
}

/// Requests of a load generator, which says nothing of how they lie in time: by chance, and from evenly spread to all
/// together. Ends are as far out as models that the constants had not seen.
Estimate looped_value(const LoopTimes& times, const KindAccuracy& unseen, const BacktestRow& row) {
  const double tokens = row.output_tokens.value_or(1), batch = row.global_batch.value_or(1);
  const auto around = [&](double low, double value, double high) {
    return Estimate{.value = value, .low = low * unseen.low_ratio, .high = high * unseen.high_ratio};
  };
  if (row.metric == "itl" || row.metric == "tpot") {
    const double ms = times.token_s * kMillisecondsPerSecond;
    return around(ms, ms, ms);
  }
  if (row.metric == "ttft")
    return around(times.spread_s * kMillisecondsPerSecond, times.random_s * kMillisecondsPerSecond,
                  times.together_s * kMillisecondsPerSecond);
  const auto latency = [&](double first) { return first + (tokens - 1) * times.token_s; };
  if (row.metric == "e2e_latency")
    return around(latency(times.spread_s), latency(times.random_s), latency(times.together_s));
  if (row.metric != "throughput") return {};
  const auto rate = [&](double first) { return batch * tokens / latency(first); };
  return around(rate(times.together_s), rate(times.random_s), rate(times.spread_s));
}

}  // namespace

Estimate predict_serving(const Catalog& catalog, const Source& source, const machine::Device& device,
                         const BacktestRow& row) {
  const auto model = architecture_of(catalog, source, row);
  if (!model) return {};
  const StackRates* rates =
      source.stack.empty() ? nullptr : find_stack(catalog.stacks, source.stack, device.generation);
  const WeightFormat* format = weight_format_called(row.precision.empty() ? "bf16" : row.precision);
  if (rates == nullptr || format == nullptr) return {.value = serving_value(catalog.serving, device, *model, row)};
  if (!row.sequence || model->hybrid) return {};
  const LoopTimes times = closed_loop(device, catalog.stacks, *rates, *model,
                                      {.format = *format,
                                       .tensor = row.tensor,
                                       .requests = row.global_batch.value_or(1),
                                       .prompt = *row.sequence,
                                       .generate = row.output_tokens.value_or(1)});
  return looped_value(times, catalog.stacks.unseen, row);
}

}  // namespace orrery::llm

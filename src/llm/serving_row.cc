#include "llm/serving_row.h"

#include "llm/serving.h"

namespace orrery::llm {

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
  constexpr double kMsPerSecond = 1e3;
  if (row.metric == "itl" || row.metric == "tpot") return between * kMsPerSecond;
  if (row.metric == "ttft") return waited * kMsPerSecond;
  if (row.metric == "throughput") return batch * tokens / (waited + tokens * between);
  return std::nullopt;
}

}  // namespace orrery::llm

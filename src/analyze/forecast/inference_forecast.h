// Planned inference, run on a machine: how long requests wait for their first token and for each one after it, and where time and memory go.
#pragma once

#include <vector>

#include "analyze/forecast/llm_forecast.h"
#include "analyze/schedule/stage_times.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/catalog.h"
#include "llm/serving/inference_memory.h"
#include "llm/serving/inference_plan.h"
#include "machine/machine.h"
#include "simulate/run.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// A token at one context.
struct TokenTime {
  double context = 0;
  TimePs time_ps = 0;
};

struct InferenceForecast {
  workload::Workload workload;  ///< a program per stage
  simulate::Outcome run;
  TimePs first_token_ps = 0;      ///< since a request was there
  std::vector<TokenTime> tokens;  ///< where they were simulated
  TimePs token_ps = 0;            ///< mean over all tokens after the first, as one request sees it
  double token_error_pct = 0;     ///< of that mean, by interpolating between contexts: how far half as many contexts are off, a third of it
  TimePs latency_ps = 0;          ///< of a request, first token to last
  double tokens_per_s = 0;        ///< of one request
  double all_tokens_per_s = 0;    ///< of all requests and replicas together
  double devices = 0;
  std::vector<StageTimes> prefill;           ///< by stage
  std::vector<StageTimes> decode;            ///< by stage, of the simulated tokens
  TimePs prefill_ps = 0, decode_ps = 0;      ///< what the stages' times add up to
  std::vector<llm::InferenceMemory> memory;  ///< by stage
  double memory_bytes = 0;                   ///< of a device
  std::uint32_t fullest_stage = 0;
  double most_requests = 0;  ///< that fit, all replicas together

  [[nodiscard]] bool fits() const { return memory[fullest_stage].sum() <= memory_bytes; }
};

struct InferenceInput {
  const llm::Catalog& catalog;
  const llm::InferencePlan& plan;
  const machine::Device& device;
  const machine::Machine& machine;
  const simulate::Pricing network;
  const llm::MemoryOptions& memory;
  KeptOfRun kept = {};
};

/// Continuous batching, b requests of g tokens per replica at once, is a steady state of which rounds_of() is a window: with t the time of a token, f
/// that of a prompt and d the delay of tokens by a prompt that is read in between, tokens of a request are t + (b - 1) d / g apart, and its first
/// takes f + (b - 1) q d, where q (data/frameworks/serving.yaml, queued_prefill_share) is the share of the others' prompts that it waits for. With
/// one stage d = f: the same as serving rows of llm/backtest.
Result<InferenceForecast> forecast_inference(const InferenceInput& input, Diagnostics& diagnostics);

}  // namespace orrery::analyze

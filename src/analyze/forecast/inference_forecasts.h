// Forecasts of inference and of distributed products as Sheets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/forecast/llm_forecast.h"
#include "analyze/schedule/stage_times.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/catalog.h"
#include "llm/serving/inference_plan.h"
#include "llm/steps/matrix_plan.h"
#include "machine/machine.h"
#include "report/sheet.h"
#include "simulate/run.h"
#include "workload/workload.h"

namespace orrery::analyze {

// A distributed matrix product, run on a machine.

struct MatrixForecast {
  workload::Workload workload;
  simulate::Outcome run;
  TimePs time_ps = 0;
  StageTimes times;           ///< of one device; axes are llm::kMatrixAxisNames, in their order
  double tflops = 0;          ///< per device
  double efficiency_pct = 0;  ///< of the devices' peak rate in the format of the product
  double devices = 0;
  double peak_bytes = 0;
  double memory_bytes = 0;  ///< of a device

  [[nodiscard]] bool fits() const { return peak_bytes <= memory_bytes; }
};

struct MatrixInput {
  const llm::MatrixPlan& plan;
  const machine::Device& device;
  const machine::Machine& machine;
  const simulate::Pricing network;
  KeptOfRun kept = {};
};

/// The Error is that of the simulation.
Result<MatrixForecast> forecast_matrix(const MatrixInput& input, Diagnostics& diagnostics);

// Planned inference, run on a machine: how long requests wait for their first token and for each one after it, and
// where time and memory go.

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
  double token_error_pct =
      0;  ///< of that mean, by interpolating between contexts: how far half as many contexts are off, a third of it
  TimePs latency_ps = 0;  ///< of a request, first token to last
  /// Of these three.
  std::optional<PublishedInterval> first_token_interval = {}, token_interval = {}, latency_interval = {};
  double tokens_per_s = 0;      ///< of one request
  double all_tokens_per_s = 0;  ///< of all requests and replicas together
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

/// Continuous batching, b requests of g tokens per replica at once, is a steady state of which rounds_of() is a window:
/// with t the time of a token, f that of a prompt and d the delay of tokens by a prompt that is read in between, tokens
/// of a request are t + (b - 1) d / g apart, and its first takes f + (b - 1) q d, where q
/// (data/frameworks/serving.yaml, queued_prefill_share) is the share of the others' prompts that it waits for. With one
/// stage d = f: the same as serving rows of llm/backtest.
Result<InferenceForecast> forecast_inference(const InferenceInput& input, Diagnostics& diagnostics);

/// "inference", a row per configuration: name, devices, first_token_us, first_token_low_us, first_token_high_us,
/// token_us, token_low_us, token_high_us, token_error_pct, latency_us, latency_low_us, latency_high_us, basis,
/// tokens_per_s, all_tokens_per_s, peak_bytes, fits.
report::Sheet inference_sheet();
void add_inference(report::Sheet& sheet, const std::string& name, const InferenceForecast& forecast);

/// "phases": phase, axis, time_us (mean over stages), share_pct: what prefill and decode go to.
report::Sheet inference_phases_sheet(const InferenceForecast& forecast);
/// "tokens": context, time_us.
report::Sheet inference_tokens_sheet(const InferenceForecast& forecast);
/// "memory" of the fullest stage: part, bytes, share_pct (of the device's); and how many requests fit.
report::Sheet inference_memory_sheet(const InferenceForecast& forecast);

/// "products", a row per configuration: name, devices, time_us, tflops, efficiency_pct, exposed_share_pct, peak_bytes,
/// fits.
report::Sheet products_sheet();
void add_product(report::Sheet& sheet, const std::string& name, const MatrixForecast& forecast);
/// "axes": axis, time_us, share_pct.
report::Sheet product_axes_sheet(const MatrixForecast& forecast);

}  // namespace orrery::analyze

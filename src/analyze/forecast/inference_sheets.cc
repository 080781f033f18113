#include "analyze/forecast/inference_sheets.h"

#include <fmt/format.h>

#include "base/percent.h"

namespace orrery::analyze {
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
void add_mean(report::Sheet& sheet, const char* phase, const std::string& what, const std::vector<StageTimes>& stages, TimePs whole,
              const auto& time_of) {
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
      .add(time_column("token", "per token"))
      .add({.name = "token_error", .type = Type::real, .unit = Unit::pct, .title = "+-"})
      .add(time_column("latency", "request"))
      .add({.name = "tokens_per_s", .type = Type::real, .title = "tokens/s each"})
      .add({.name = "all_tokens_per_s", .type = Type::real, .title = "in all"})
      .add({.name = "peak", .type = Type::integer, .unit = Unit::bytes, .title = "peak memory"})
      .add({.name = "fits", .type = Type::flag, .title = "fits"});
  return sheet;
}

void add_inference(report::Sheet& sheet, const std::string& name, const InferenceForecast& forecast) {
  sheet.add_row({name, static_cast<std::int64_t>(forecast.devices), forecast.first_token_ps, forecast.token_ps, forecast.token_error_pct,
                 forecast.latency_ps, forecast.tokens_per_s, forecast.all_tokens_per_s,
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
  sheet.add_row({name, static_cast<std::int64_t>(forecast.devices), forecast.time_ps, forecast.tflops, forecast.efficiency_pct,
                 share_percent(forecast.times.exposed_sum(), forecast.time_ps), static_cast<std::int64_t>(forecast.peak_bytes),
                 forecast.fits()});
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

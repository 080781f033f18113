// Forecasts of inference and of distributed products as Sheets.
#pragma once

#include <string>

#include "analyze/forecast/inference_forecast.h"
#include "analyze/forecast/matrix_forecast.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// "inference", a row per configuration: name, devices, first_token_us, token_us, token_error_pct, latency_us, tokens_per_s, all_tokens_per_s,
/// peak_bytes, fits.
report::Sheet inference_sheet();
void add_inference(report::Sheet& sheet, const std::string& name, const InferenceForecast& forecast);

/// "phases": phase, axis, time_us (mean over stages), share_pct: what prefill and decode go to.
report::Sheet inference_phases_sheet(const InferenceForecast& forecast);
/// "tokens": context, time_us.
report::Sheet inference_tokens_sheet(const InferenceForecast& forecast);
/// "memory" of the fullest stage: part, bytes, share_pct (of the device's); and how many requests fit.
report::Sheet inference_memory_sheet(const InferenceForecast& forecast);

/// "products", a row per configuration: name, devices, time_us, tflops, efficiency_pct, exposed_share_pct, peak_bytes, fits.
report::Sheet products_sheet();
void add_product(report::Sheet& sheet, const std::string& name, const MatrixForecast& forecast);
/// "axes": axis, time_us, share_pct.
report::Sheet product_axes_sheet(const MatrixForecast& forecast);

}  // namespace orrery::analyze

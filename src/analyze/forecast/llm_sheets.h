// A forecast of a training step as Sheets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/forecast/llm_forecast.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// What a Sheet says of an interval. Refers to it.
struct IntervalCells {
  report::Cell low, high, basis;
  std::string text;  ///< for people
};
IntervalCells interval_cells(const std::optional<PublishedInterval>& interval);
/// "A step takes 13.6 s; eight of ten measurements would lie between ...": for a page.
std::string interval_sentence(std::string_view what, TimePs time, const std::optional<PublishedInterval>& interval);

/// "steps", a row per configuration: name, devices, step_us, low_us and high_us (between which eight of ten
/// measured steps of the kind lay), basis, tokens_per_s, mfu_pct, exposed_share_pct, bubble_share_pct, peak_bytes,
/// fits.
report::Sheet llm_steps_sheet();
void add_step(report::Sheet& sheet, const std::string& name, const LlmForecast& forecast);

/// "axes", per axis that communicates, and what else the time goes to: axis, time_us (mean over stages), share_pct,
/// largest_us, largest_stage.
report::Sheet llm_axes_sheet(const LlmForecast& forecast);
/// "stages": stage, compute_us, exposed_us, bubble_us, peak_bytes.
report::Sheet llm_stages_sheet(const LlmForecast& forecast);
/// "memory" of the fullest stage at its fullest moment: part, bytes, share_pct (of the device's).
report::Sheet llm_memory_sheet(const LlmForecast& forecast);
/// "memory_over_time": stage, pass, micro_batch, end_us, bytes.
report::Sheet llm_memory_moments_sheet(const LlmForecast& forecast);
/// "path", what the critical path consists of, the largest first: work, time_us, share_pct, saved_us (what the step
/// gains if it takes a tenth less: the derivative, as long as the path stays the same).
report::Sheet llm_path_sheet(const LlmForecast& forecast);
/// "edges", a row per collective or message of each stage's program: stage, id, name, kind, bytes, group, peer, stream.
/// Stable across ways of pricing. With `measured`, who some of them are priced by, also priced_by: "links", or what was
/// measured.
report::Sheet llm_edges_sheet(const workload::Workload& workload, const simulate::MeasuredPrices* measured = nullptr);

}  // namespace orrery::analyze

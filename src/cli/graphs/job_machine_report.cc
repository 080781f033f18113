#include "cli/graphs/job_machine_report.h"

#include <fmt/format.h>

#include "analyze/whatif/job_machine_sheets.h"
#include "analyze/whatif/whatif.h"
#include "base/percent.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {

std::string calibration_text(const Invocation& invocation, const causal::CausalGraph& job,
                             const analyze::JobOnMachine& on, TimePs resimulated) {
  std::string text = fmt::format(
      "Exchanges are simulated on {}; the unedited job takes {} there, and was recorded to take {} (residual {:.3g} "
      "%).\n",
      invocation.text("machine"), format_duration(resimulated), format_duration(job.span),
      job.residual_percent(resimulated));
  if (on.left_as_measured() > 0)
    text += fmt::format("{} of {} keep what was measured: their size or kind is not known.\n", on.left_as_measured(),
                        job.operations.size());
  return text + "\n" + to_text(analyze::calibration_sheet(job, on.calibration()), invocation.view());
}

void write_calibration_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::JobOnMachine& on,
                            TimePs resimulated) {
  json.field("resimulated_us", to_us(resimulated)).key("calibration").begin_object();
  report::write_sheet(json, analyze::calibration_sheet(job, on.calibration()));
  json.field("as_measured", on.left_as_measured())
      .field("residual_pct", job.residual_percent(resimulated))
      .end_object();
}

std::string reorder_text(const Invocation& invocation, const causal::CausalGraph& job,
                         const analyze::Reorder& reorder) {
  std::string text = invocation.style().paint(
      report::Tone::strong,
      fmt::format("{}, {}, {}: if only data dependencies mattered {} ({:+.1f} %); with the kernels of the busiest "
                  "device {} ({:+.1f} %).",
                  report::counted(job.ranks.size(), "rank"), job.label, format_duration(job.span),
                  format_duration(reorder.data_bound), change_percent(job.span, reorder.data_bound),
                  format_duration(reorder.device_bound), change_percent(job.span, reorder.device_bound)));
  const std::string moves = to_text(analyze::reorder_sheet(job, reorder), invocation.view());
  return text + "\n\n" + (moves.empty() ? "No single move makes it shorter.\n" : moves);
}

void write_reorder_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::Reorder& reorder) {
  json.key("reorder").begin_object();
  json.field("data_bound_us", to_us(reorder.data_bound)).field("device_bound_us", to_us(reorder.device_bound));
  report::write_sheet(json, analyze::reorder_sheet(job, reorder));
  json.end_object();
}

}  // namespace orrery::cli

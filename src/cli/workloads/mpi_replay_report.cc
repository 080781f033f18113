#include "cli/workloads/mpi_replay_report.h"

#include <fmt/format.h>

#include "replay/mpi/replay_sheets.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

std::string headline(const MpiReplayAnswer& answer, const std::string& folder) {
  const replay::Sample& runs = answer.measured.makespans;
  std::string text = fmt::format("{} rank{} ran in {}", format_count(answer.ranks), answer.ranks == 1 ? "" : "s",
                                 format_duration(runs.median_ps()));
  if (runs.times_ps.size() > 1)
    text += fmt::format(", the median of {} from {} to {}", report::counted(runs.times_ps.size(), "run"),
                        format_duration(runs.least_ps()), format_duration(runs.most_ps()));
  if (!folder.empty()) text += fmt::format("; the last is recorded in {}", folder);
  text += ".\n";
  if (!answer.against.empty()) {
    const replay::ComparedRow& whole = answer.against.front();
    text += fmt::format("Simulated: {} ({:+.1f} %).\n", format_duration(whole.predicted_ps), whole.error_percent());
  }
  return text;
}

std::string fit_words(const replay::Calibration& fitted, const std::string& file) {
  return fmt::format(
      "\nA machine was fitted to {} and written to {}: a row is {:.1f} % off in the median, {:.1f} % at most; the "
      "makespan {:+.1f} "
      "%.\n",
      report::counted(fitted.samples, "sample"), file, fitted.median_error_percent, fitted.worst_error_percent,
      fitted.rows.front().error_percent());
}

void write_json(Invocation& invocation, const MpiReplayAnswer& answer, const std::vector<report::Sheet>& sheets) {
  JsonWriter& json = invocation.data();
  const replay::Sample& runs = answer.measured.makespans;
  json.field("ranks", answer.ranks).field("makespan_us", to_us(runs.median_ps()));
  json.field("least_makespan_us", to_us(runs.least_ps())).field("most_makespan_us", to_us(runs.most_ps()));
  if (answer.flops_per_ns > 0) json.field("flops_per_ns", answer.flops_per_ns);
  if (answer.calibration) {
    const replay::Calibration& fitted = *answer.calibration;
    json.field("fitted_samples", fitted.samples).field("fitted_median_error_pct", fitted.median_error_percent);
    json.field("fitted_worst_error_pct", fitted.worst_error_percent)
        .field("fitted_makespan_error_pct", fitted.rows.front().error_percent());
  }
  for (const report::Sheet& sheet : sheets) write_sheet(json, sheet);
}

}  // namespace

void report_mpi_replay(Invocation& invocation, const MpiReplayAnswer& answer) {
  std::vector<report::Sheet> sheets;
  sheets.push_back(replay::repetitions_sheet(answer.measured, invocation.has("output")));
  sheets.push_back(replay::collectives_sheet(answer.measured));
  sheets.push_back(replay::messages_sheet(answer.measured));
  if (!answer.against.empty()) sheets.push_back(replay::against_sheet(answer.against));
  if (answer.calibration) {
    sheets.push_back(replay::parameters_sheet(*answer.calibration));
    sheets.push_back(replay::residuals_sheet(*answer.calibration));
  }
  if (invocation.json()) return write_json(invocation, answer, sheets);
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(sheets);
    return;
  }
  text = invocation.style().paint(report::Tone::strong, headline(answer, invocation.text("output")));
  if (answer.flops_per_ns > 0)
    text += fmt::format("Computation is arithmetic: {:.2f} Gflop/s on the slowest rank.\n", answer.flops_per_ns);
  report::SheetView view = invocation.view();
  if (!invocation.verbose()) view.rows = 2 * report::kShownRows;
  for (const report::Sheet& sheet : sheets) {
    if (sheet.name() == "parameters") text += fit_words(*answer.calibration, invocation.text("calibrate"));
    if (const std::string table = to_text(sheet, view); !table.empty()) text += "\n" + table;
  }
}

}  // namespace orrery::cli

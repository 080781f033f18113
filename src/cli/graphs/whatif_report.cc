#include "cli/graphs/whatif_report.h"
#include "cli/frame/load.h"

#include <fmt/format.h>

#include "analyze/whatif/whatif_sheets.h"
#include "ask/graphs/job_facts.h"
#include "base/json/json_writer.h"
#include "base/percent.h"
#include "base/units.h"
#include "report/counted.h"
#include "report/sheet.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {

// What bounds a step before and after edits, as programs read it.

/// "bound_by_us": {"kernel": {"before": 5, "after": 2.5}}: the rows of analyze::changed_bounds_sheet under their kinds,
/// as `path` names them.
void write_bounds_by_kind(JsonWriter& json, const report::Sheet& changed_bounds);

void write_bounds_by_kind(JsonWriter& json, const report::Sheet& changed_bounds) {
  const std::size_t kind = changed_bounds.find("kind"), before = changed_bounds.find("before"),
                    after = changed_bounds.find("after");
  json.key("bound_by_us").begin_object();
  for (std::size_t row = 0; row < changed_bounds.rows(); ++row) {
    json.key(changed_bounds.text(kind, row)).begin_object();
    json.field("before", to_us(changed_bounds.integer(before, row)))
        .field("after", to_us(changed_bounds.integer(after, row)))
        .end_object();
  }
  json.end_object();
}

namespace {

/// Above this the ranks that change most say more than all.
constexpr std::size_t kRanksShown = 16;

}  // namespace

std::string whatif_text(const Invocation& invocation, const analyze::GraphEdits& edits, const analyze::WhatIf& result,
                        std::span<const analyze::SweepRow> points) {
  const causal::CausalGraph& job = edits.job();
  const bool several = job.ranks.size() > 1;
  const TimePs before = result.before.length, after = result.after.length;
  const std::string change =
      fmt::format("{}: {} -> {} ({:+.1f} %, {:.3g} x as fast)", job.label, format_duration(before),
                  format_duration(after), change_percent(before, after), result.speedup());
  const std::string headline = several ? fmt::format("{}, {}.", report::counted(job.ranks.size(), "rank"), change)
                                       : fmt::format("{}; replay residual of the unedited graph {:.4g} %.", change,
                                                     job.residual_percent(result.replayed));
  std::string text = invocation.style().paint(report::Tone::strong, headline);
  text += "\nBefore: " + verdict(result.before) + ".\nAfter:  " + verdict(result.after) + ".\n";
  if (several) text += job_trust_line(job, result.replayed) + "\n";
  report::SheetView with_total = invocation.view();
  with_total.total = several ? "job" : "step";
  text += "\n" + to_text(analyze::edits_sheet(edits), invocation.view()) + "\n" +
          to_text(analyze::changed_bounds_sheet(result), with_total) + "\n";
  const std::string moves = to_text(analyze::moves_sheet(job, result), invocation.view());
  text += moves.empty() ? "Nothing on the path moved.\n" : moves;
  if (several) {
    report::SheetView some = invocation.view();
    some.rows = kRanksShown;
    some.rest = "ranks";
    text += "\n" + to_text(analyze::ranks_sheet(job, result), some);
  }
  if (!points.empty()) text += "\n" + to_text(analyze::sweep_sheet(before, points), invocation.view());
  return text;
}

void write_whatif_json(JsonWriter& json, const analyze::GraphEdits& edits, const analyze::WhatIf& result,
                       std::span<const analyze::SweepRow> points) {
  const causal::CausalGraph& job = edits.job();
  const bool several = job.ranks.size() > 1;
  json.field("step", job.label);
  if (several) json.key("rank").null();
  else json.field("rank", job.ranks.front().rank);
  json.field("before_us", to_us(result.before.length))
      .field("after_us", to_us(result.after.length))
      .field("speedup", result.speedup());
  json.field("residual_pct", job.residual_percent(result.replayed));
  if (several) write_job_json(json, job, result.replayed);
  for (const report::Sheet& sheet : analyze::whatif_sheets(edits, result, points)) write_sheet(json, sheet);
  write_bounds_by_kind(json, analyze::changed_bounds_sheet(result));
}

}  // namespace orrery::cli

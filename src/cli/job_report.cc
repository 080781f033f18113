#include "cli/job_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/job_path_sheets.h"
#include "analyze/path_sheets.h"
#include "cli/command_line.h"
#include "cli/path_report.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

double share_in_percent(TimePs part, TimePs whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Above this a table of ranks or hops says less than its largest rows.
constexpr std::size_t kRowsShown = 16;

}  // namespace

void write_job_json(JsonWriter& json, const link::JobGraph& job, TimePs replayed) {
  json.key("job").begin_object();
  json.key("ranks").begin_array();
  for (const link::JobRank& rank : job.ranks) json.value(rank.rank);
  json.end_array();
  json.key("missing").begin_array();
  for (const std::int64_t rank : job.missing) json.value(rank);
  json.end_array();
  json.key("steps").begin_array();
  for (const std::string& step : job.steps) json.value(step);
  json.end_array();
  json.key("window").begin_object();
  json.field("label", job.label).field("begin_us", to_us(job.begin_ps)).field("span_us", to_us(job.span));
  json.end_object();
  json.key("clock").begin_object();
  json.field("source", to_string(job.clock));
  if (job.band < 0) json.key("band_us").null();
  else json.field("band_us", to_us(job.band));
  json.field("cut", job.cut);
  json.end_object();
  json.field("operations", job.operations.size()).field("unmatched", job.unmatched).field("incomplete", job.incomplete);
  json.field("residual_pct", job.residual_percent(replayed));
  json.end_object();
}

std::string job_trust_line(const link::JobGraph& job, TimePs replayed) {
  std::string clock = job.clock == link::ClockSource::one ? "one clock"
                      : job.clock == link::ClockSource::aligned
                          ? fmt::format("clocks aligned to {}", format_duration(std::max<TimePs>(job.band, 0)))
                      : job.band < 0 ? "clocks as recorded, how far apart is not known"
                                     : fmt::format("clocks as recorded, within {}", format_duration(job.band));
  if (job.ranks.size() == 1) return fmt::format("Replay residual {:.4g} %.", job.residual_percent(replayed));
  return fmt::format("{} the ranks ({} without partners, {} incomplete, {} contradict); {}; replay residual {:.4g} %.",
                     report::counted(job.operations.size(), "operation joins", "operations join"), job.unmatched, job.incomplete, job.cut,
                     clock, job.residual_percent(replayed));
}

std::string job_path_text(const Invocation& invocation, const link::JobGraph& job, const analyze::JobPath& path,
                          const std::string& about_steps) {
  const report::Style style = invocation.style();
  std::string text = style.paint(report::Tone::strong, fmt::format("{}, {}, {}: {}.", report::counted(job.ranks.size(), "rank"), job.label,
                                                                   format_duration(job.span), verdict(job, path.sums)));
  text += "\n";
  if (!job.why.empty()) text += fmt::format("This is {}; choose another with --annotation and --instance.\n", job.why);
  if (!about_steps.empty()) text += about_steps + "\n";
  text += job_trust_line(job, path.length()) + "\n\n";
  const report::SheetView view{.width = invocation.table_columns(), .style = style};
  text += to_text(analyze::bound_by_sheet(path.sums), view) + "\n";
  if (job.ranks.size() <= kRowsShown) text += to_text(analyze::path_ranks_sheet(job, path), view) + "\n";
  if (!path.transfers.empty()) text += to_text(analyze::path_groups_sheet(job, path), view) + "\n";
  if (!path.hops.empty() && path.hops.size() <= kRowsShown) text += to_text(analyze::hops_sheet(job, path), view) + "\n";
  else if (!path.hops.empty())
    text += fmt::format("The path goes from rank to rank {} (--json has all hops).\n\n", report::counted(path.hops.size(), "time"));
  text += to_text(analyze::job_contributors_sheet(job, path), view) + "\n";
  text += "slack: how much later it could end without delaying the job. derivative: the part of a saving that reaches the job.\n";
  // whatif takes one operand for the traces; a list of files is not one that could be shown.
  if (invocation.operands().size() != 1) return text;
  return text + next_whatif(invocation, shell_quote(invocation.operands().front()), job.strings, path.sums, job.ranks);
}

void write_job_path_json(JsonWriter& json, const link::JobGraph& job, const analyze::JobPath& path) {
  json.field("success", true);
  write_job_json(json, job, path.length());
  json.key("window").begin_object();
  json.field("label", job.label).field("why", job.why).field("begin_us", to_us(job.begin_ps)).field("span_us", to_us(job.span));
  json.end_object();
  json.field("nodes", job.graph.node_count()).field("edges", job.graph.edge_count());
  json.key("path").begin_object().field("nodes", path.sums.path.nodes.size()).field("edges", path.sums.path.slots.size());
  json.field("weight_us", to_us(path.length())).end_object();
  json.field("coverage_pct", share_in_percent(path.length(), job.span));
  json.field("residual_pct", job.residual_percent(path.length()));
  json.field("unexplained_pct", share_in_percent(path.sums.unexplained(), path.length()));
  json.field("verdict", verdict(job, path.sums)).field("device_reach", job.reach.identifier());
  write_relief_json(json, path.sums);
  json.key("bound_by_us").begin_object();
  for (std::size_t k = 0; k < link::kJobEdgeKinds; ++k)
    json.field(identifier(static_cast<link::EdgeKind>(k)), to_us(path.sums.kinds[k].on_path));
  json.end_object();
  write_sheet(json, analyze::path_ranks_sheet(job, path));
  write_sheet(json, analyze::path_groups_sheet(job, path));
  write_sheet(json, analyze::hops_sheet(job, path));
  write_sheet(json, analyze::job_contributors_sheet(job, path));
}

}  // namespace orrery::cli

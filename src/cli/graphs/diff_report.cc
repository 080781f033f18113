#include "cli/graphs/diff_report.h"
#include "cli/frame/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analyze/diff/diff_sheets.h"
#include "analyze/whatif/whatif.h"
#include "ask/graphs/job_facts.h"
#include "base/percent.h"
#include "graph/longest_path.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::ChangeCause;
using analyze::ComparedRun;
using analyze::RunDiff;

constexpr std::size_t kCausesShown = 10;

std::string signed_duration(TimePs time) { return (time > 0 ? "+" : "") + format_duration(time); }

/// "B takes 12.9 ms a step, A 11.8 ms: slower by 9.1 % (+1.07 ms; 95 % interval +1.02 ms to +1.11 ms)."
std::string first_sentence(const RunDiff& diff, bool is_whole) {
  const analyze::Comparison& spans = diff.spans;
  const bool is_sure = spans.significant.value_or(false);
  const double percent = change_percent(spans.a, spans.b);
  std::string text = fmt::format("B takes {}{}, A {}: {}", format_duration(spans.b),
                                 is_whole ? " as a whole" : " a step", format_duration(spans.a), diff.verdict());
  if (is_sure) text += fmt::format(" by {:.1f} %", std::abs(percent));
  text += fmt::format(" ({}", signed_duration(spans.b - spans.a));
  if (!is_sure) text += fmt::format(", {:+.1f} %", percent);
  if (spans.change)
    text += fmt::format("; 95 % interval {} to {}", signed_duration(spans.change->low),
                        signed_duration(spans.change->high));
  return text + ").";
}

/// Which of the ranks add most of what the cause does; nothing to say where there is one only.
std::string whose(const ChangeCause& cause, bool of_one_rank) {
  if (of_one_rank || cause.ranks.empty()) return "";
  if (cause.ranks.size() == 1) return fmt::format(" on rank {}", cause.ranks.front().rank);
  const auto largest = std::max_element(cause.ranks.begin(), cause.ranks.end(), [](const auto& x, const auto& y) {
    return std::llabs(x.contribution) < std::llabs(y.contribution);
  });
  return fmt::format(" on {}, most on rank {} ({})", report::counted(cause.ranks.size(), "rank"), largest->rank,
                     signed_duration(largest->contribution));
}

std::string cause_sentence(const RunDiff& diff, bool of_one_rank) {
  if (diff.causes.empty() || diff.causes.front().contribution == 0)
    return "Nothing that was recorded adds to it or takes from it.";
  const ChangeCause& largest = diff.causes.front();
  const bool is_in_both = largest.a_count != 0 && largest.b_count != 0;
  return fmt::format("The largest cause is {} {}: it {} {}{}.",
                     is_in_both ? to_string(largest.kind) : to_string(largest.status), label_of(largest),
                     largest.contribution > 0 ? "adds" : "takes away",
                     format_duration(std::llabs(largest.contribution)), whose(largest, of_one_rank));
}

void write_run(JsonWriter& json, std::string_view name, const ComparedRun& run) {
  json.key(name).begin_object();
  json.key("steps").begin_array();
  for (const std::string& step : run.steps) json.value(step);
  json.end_array();
  json.field("median_us", to_us(run.median_span()));
  json.key("interval_us");
  if (!run.interval) json.null();
  else json.begin_array().value(to_us(run.interval->low)).value(to_us(run.interval->high)).end_array();
  write_job_json(json, run.step, graph::solve(run.step.graph, run.step.end).length());
  json.end_object();
}

}  // namespace

std::string diff_text(const Invocation& invocation, const ComparedRun& a, const ComparedRun& b, const RunDiff& diff) {
  std::string text = invocation.style().paint(report::Tone::strong, first_sentence(diff, a.is_whole)) + "\n";
  const std::string pair =
      a.is_whole ? "The whole traces"
                 : fmt::format("The median steps, {} of A and {} of B,", a.steps[a.median], b.steps[b.median]);
  text += fmt::format("{} differ by {}. {}\n\n", pair, signed_duration(diff.change),
                      cause_sentence(diff, a.step.ranks.size() == 1 && b.step.ranks.size() == 1));
  text += to_text(analyze::runs_sheet(a, b), invocation.view()) + "\n";
  report::SheetView view = invocation.view();
  const auto adds = [](const ChangeCause& cause) { return cause.contribution != 0; };
  view.rows = std::min<std::size_t>(kCausesShown, std::count_if(diff.causes.begin(), diff.causes.end(), adds));
  view.rest = "classes";
  if (view.rows == 0) return text;
  text += to_text(analyze::causes_sheet(diff), view);
  text += fmt::format(
      "Other dependencies or another order: {}. All together are {}.\n"
      "adds: how much longer it makes the step, while it is on the path from A to B. surely: its time per step differs "
      "significantly.\n",
      signed_duration(diff.structure), signed_duration(diff.change));
  return text;
}

void write_diff_json(JsonWriter& json, const ComparedRun& a, const ComparedRun& b, const RunDiff& diff) {
  write_run(json, "a", a);
  write_run(json, "b", b);
  json.field("change_us", to_us(diff.spans.b - diff.spans.a));
  json.key("change_interval_us");
  if (!diff.spans.change) json.null();
  else json.begin_array().value(to_us(diff.spans.change->low)).value(to_us(diff.spans.change->high)).end_array();
  json.key("significant");
  if (!diff.spans.significant) json.null();
  else json.value(*diff.spans.significant);
  json.field("verdict", diff.verdict());
  json.key("pair").begin_object();
  json.field("a_step", a.steps[a.median]).field("b_step", b.steps[b.median]);
  json.field("a_us", to_us(a.median_span()))
      .field("b_us", to_us(b.median_span()))
      .field("change_us", to_us(diff.change));
  json.end_object();
  write_sheet(json, analyze::kind_changes_sheet(diff));
  const report::Sheet causes = analyze::causes_sheet(diff);
  json.key("causes").begin_array();
  for (std::size_t row = 0; row < causes.rows(); ++row) {
    json.begin_object();
    write_members(json, causes, row);
    json.key("ranks").begin_array();
    for (const ChangeCause::OfRank& rank : diff.causes[row].ranks)
      json.begin_object().field("rank", rank.rank).field("contribution_us", to_us(rank.contribution)).end_object();
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.field("structure_us", to_us(diff.structure));
}

}  // namespace orrery::cli

#include "cli/graphs/path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/path/contributor_edit.h"
#include "analyze/path/path_overlay.h"
#include "analyze/path/path_sheets.h"
#include "base/percent.h"
#include "cli/frame/command_line.h"
#include "cli/graphs/job_report.h"
#include "job/write/overlay_file.h"
#include "report/bar.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {

void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread) {
  json.key("steps");
  if (!spread) {
    json.null();
    return;
  }
  json.begin_object().field("count", spread->steps).field("differ", spread->differ());
  json.field("mean_us", to_us(spread->mean)).field("deviation_us", to_us(spread->deviation));
  json.field("least_us", to_us(spread->least)).field("most_us", to_us(spread->most));
  json.key("long");
  if (spread->long_label.empty()) {
    json.null();
  } else {
    json.begin_object().field("label", spread->long_label).field("span_us", to_us(spread->long_span));
    json.field("verdict", spread->long_verdict).end_object();
  }
  json.end_object();
}

namespace {

using analyze::Contributor;
using analyze::KindTotals;
using analyze::PathSums;
using causal::EdgeKind;

/// Above this a table of ranks or hops says less than its largest rows.
constexpr std::size_t kRowsShown = 16;

// The flags that choose the window: the next command must look at the same one.
std::string window_flags(const Invocation& invocation) {
  std::string flags;
  for (const char* flag : {"annotation", "instance", "clock"}) {
    if (invocation.has(flag)) flags += fmt::format(" --{} {}", flag, shell_quote(invocation.text(flag)));
  }
  return flags;
}

void write_us(JsonWriter& json, std::string_view name, TimePs ps) { json.field(name, to_us(ps)); }

void write_breakdown_row(JsonWriter& json, const causal::CausalGraph& job, const PathSums& path, graph::Slot slot) {
  const std::uint32_t tag = job.graph.edge_tag(slot), rank = job.rank_of(slot);
  json.begin_object();
  if (job.ranks.size() > 1 && rank != causal::kNoRank) json.field("rank", job.ranks[rank].rank);
  write_us(json, "start_us", job.time[job.graph.source(slot)]);
  write_us(json, "duration_us", path.solution.weight(slot));
  json.field("type", identifier(job.kind(slot)));
  if (tag != graph::kNoTag && rank != causal::kNoRank && job.kind(slot) != EdgeKind::several) {
    const causal::Owner& owner = job.owners[tag];
    const causal::LaneLabel& lane = job.ranks[rank].lanes[owner.lane];
    json.field("name", job.strings.text(owner.name)).field("index", owner.ordinal);
    json.key("pid").raw(job.strings.text(lane.process));
    json.key("tid").raw(job.strings.text(lane.thread));
    json.field("stream", owner.stream).field("device", owner.device);
  }
  json.end_object();
}

/// "Next: what if it were twice as fast?  orrery whatif ...": of the contributor that gains most. `traces`: as they are
/// typed.
std::string next_whatif(const Invocation& invocation, const std::string& traces, const causal::CausalGraph& job,
                        const PathSums& path) {
  std::vector<const Contributor*> by_gain;
  for (const Contributor& contributor : path.contributors) by_gain.push_back(&contributor);
  std::stable_sort(by_gain.begin(), by_gain.end(),
                   [](const auto* a, const auto* b) { return a->gain_if_free > b->gain_if_free; });
  const auto ask = [&](std::string_view what, const std::string& selection) {
    return fmt::format("Next: what if {} twice as fast?  orrery whatif {}{} {}\n", what, traces,
                       window_flags(invocation), shell_quote(selection + " * 0.5"));
  };
  for (const Contributor* contributor : by_gain) {
    if (contributor->gain_if_free <= 0) break;
    if (const auto selection = analyze::selection_of(job, *contributor)) return ask("it were", *selection);
  }
  // No single one saves anything: many are alike, and only all of them together do.
  if (path.relief && path.relief->gain > 0)
    return ask("all of it were", std::string(analyze::word_of(path.relief->bound)));
  return fmt::format("Next: see it on a timeline:  orrery path {}{} --overlay overlay.json.gz\n", traces,
                     window_flags(invocation));
}

/// The member "if_free": the edit that takes away what the verdict names, what it saves, and what bounds the rest; null
/// where there is none.
void write_relief_json(JsonWriter& json, const PathSums& path) {
  json.key("if_free");
  if (!path.relief) {
    json.null();
    return;
  }
  const analyze::Relief& relief = *path.relief;
  json.begin_object()
      .field("edit", std::string(analyze::word_of(relief.bound)) + " remove")
      .field("gain_us", to_us(relief.gain));
  json.field("gain_pct", share_percent(relief.gain, path.length()))
      .field("then", analyze::verdict(relief.on_path, relief.length, std::nullopt, path.device_type));
  json.end_object();
}

/// How far the answer can be trusted, in one line.
std::string trust_line(const causal::CausalGraph& job, const PathSums& path) {
  if (job.ranks.size() > 1) return job_trust_line(job, path.length());
  return fmt::format("The path covers {} of {} ({:.4g} %); replay residual {:.4g} %; {} without a recorded cause.",
                     format_duration(path.length()), format_duration(job.span), share_percent(path.length(), job.span),
                     job.residual_percent(path.length()),
                     report::percent(static_cast<double>(path.unexplained()), static_cast<double>(path.length())));
}

/// Whose part of the path it is, and where it goes from rank to rank.
std::string ranks_text(const causal::CausalGraph& job, const analyze::CausalPath& path, const report::SheetView& view) {
  std::string text;
  if (job.ranks.size() <= kRowsShown) text += to_text(analyze::path_ranks_sheet(job, path), view) + "\n";
  if (!path.transfers.empty()) text += to_text(analyze::path_groups_sheet(job, path), view) + "\n";
  if (!path.hops.empty() && path.hops.size() <= kRowsShown)
    text += to_text(analyze::hops_sheet(job, path), view) + "\n";
  else if (!path.hops.empty())
    text += fmt::format("The path goes from rank to rank {} (--json has all hops).\n\n",
                        report::counted(path.hops.size(), "time"));
  return text;
}

}  // namespace

std::string path_text(const Invocation& invocation, const causal::CausalGraph& job, const analyze::CausalPath& path,
                      const std::string& about_steps) {
  const report::Style style = invocation.style();
  const bool several = job.ranks.size() > 1;
  const std::string ranks = several ? report::counted(job.ranks.size(), "rank") + ", " : "";
  std::string text = style.paint(report::Tone::strong, fmt::format("{}{}, {}: {}.", ranks, job.label,
                                                                   format_duration(job.span), verdict(job, path.sums)));
  text += "\n";
  if (!job.why.empty()) text += fmt::format("This is {}; choose another with --annotation and --instance.\n", job.why);
  if (!about_steps.empty()) text += about_steps + "\n";
  text += trust_line(job, path.sums) + "\n\n";
  const report::SheetView view{.width = invocation.table_columns(), .style = style};
  text += to_text(analyze::bound_by_sheet(path.sums), view) + "\n";
  if (several) text += ranks_text(job, path, view);
  text += to_text(analyze::contributors_sheet(job, path.sums), view) + "\n";
  text += fmt::format(
      "slack: how much later it could end without delaying the {0}. derivative: the part of a saving that reaches the "
      "{0}.\n",
      several ? "job" : "step");
  if (!several) return text + next_whatif(invocation, shell_quote(job.ranks.front().source_path), job, path.sums);
  // whatif takes one operand for the traces; a list of files is not one that could be shown.
  if (invocation.operands().size() != 1) return text;
  return text + next_whatif(invocation, shell_quote(invocation.operands().front()), job, path.sums);
}

Status write_overlays(const Invocation& invocation, const causal::CausalGraph& job, const PathSums& path) {
  const std::vector<kineto::Overlay> overlays =
      analyze::make_overlays(job, path, {invocation.has("all-edges"), invocation.has("only-critical")});
  std::vector<std::string> files;
  for (const causal::JobRank& rank : job.ranks) files.push_back(rank.source_path);
  const std::string output = invocation.text("overlay");
  return files.size() == 1 ? job::write_overlay_of(files.front(), overlays.front(), output)
                           : job::write_overlays_of(files, overlays, output);
}

// The parts that stand side by side are Sheets. By hand is what programs read under the kind's name ("edges_per_type":
// {"kernel": 7}), where a Sheet gives a list of rows, and the breakdown: it has a row per edge of the path, millions
// for a whole trace, and is written as it is gone through.
void write_path_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::CausalPath& causal_path,
                     bool with_breakdown) {
  const PathSums& path = causal_path.sums;
  const bool several = job.ranks.size() > 1;
  json.field("success", true);
  if (several) write_job_json(json, job, path.length());
  else json.field("rank", job.ranks.front().rank);
  json.key("window").begin_object();
  json.field("label", job.label).field("why", job.why);
  write_us(json, "begin_us", job.begin_ps);
  write_us(json, "span_us", job.span);
  if (!several) write_us(json, "host_us", job.ranks.front().host_end - job.ranks.front().host_begin);
  json.end_object();
  json.field("nodes", job.graph.node_count()).field("edges", job.graph.edge_count());
  const auto per_kind = [&](std::string_view name, auto&& value_of) {
    json.key(name).begin_object();
    for (std::size_t k = 0; k < (several ? causal::kJobEdgeKinds : causal::kEdgeKinds); ++k)
      json.field(identifier(static_cast<EdgeKind>(k)), value_of(path.kinds[k]));
    json.end_object();
  };
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.edges; });
  per_kind("edge_weight_us_per_type", [](const KindTotals& totals) { return to_us(totals.total); });
  std::vector<std::uint8_t> is_owner(job.owners.size(), 0);
  for (const graph::Slot slot : path.path.slots) {
    if (const std::uint32_t tag = job.graph.edge_tag(slot); tag != graph::kNoTag && job.kind(slot) != EdgeKind::several)
      is_owner[tag] = 1;
  }
  json.key("path").begin_object();
  json.field("nodes", path.path.nodes.size())
      .field("edges", path.path.slots.size())
      .field("events", std::count(is_owner.begin(), is_owner.end(), 1));
  write_us(json, "weight_us", path.length());
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.path_edges; });
  json.end_object();
  per_kind("bound_by_us", [](const KindTotals& totals) { return to_us(totals.on_path); });
  per_kind("summary_pct", [&](const KindTotals& totals) { return share_percent(totals.on_path, path.length()); });
  json.field("verdict", verdict(job, path)).field("device_reach", job.reach.identifier());
  write_relief_json(json, path);
  json.field("coverage_pct", share_percent(path.length(), job.span));
  json.field("residual_pct", job.residual_percent(path.length()));
  json.field("typical_replay_pct", share_percent(analyze::typical_replay(job), job.span) - 100.0);
  json.field("unexplained_pct", share_percent(path.unexplained(), path.length()));
  if (several) {
    write_sheet(json, analyze::path_ranks_sheet(job, causal_path));
    write_sheet(json, analyze::path_groups_sheet(job, causal_path));
    write_sheet(json, analyze::hops_sheet(job, causal_path));
  }
  write_sheet(json, analyze::contributors_sheet(job, path));
  if (!with_breakdown) return;
  json.key("breakdown").begin_array();
  for (const graph::Slot slot : path.path.slots) write_breakdown_row(json, job, path, slot);
  json.end_array();
}

}  // namespace orrery::cli

#include "cli/path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/contributor_edit.h"
#include "analyze/path_sheets.h"
#include "analyze/typical_replay.h"
#include "cli/command_line.h"
#include "report/bar.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::Contributor;
using analyze::KindTotals;
using analyze::StepPath;
using link::EdgeKind;
using link::kEdgeKinds;

double fraction(TimePs part, TimePs whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

// The flags that choose the window: the next command must look at the same one.
std::string window_flags(const Invocation& invocation) {
  std::string flags;
  for (const char* flag : {"annotation", "instance", "clock"}) {
    if (invocation.has(flag)) flags += fmt::format(" --{} {}", flag, shell_quote(invocation.text(flag)));
  }
  return flags;
}

void write_us(JsonWriter& json, std::string_view name, TimePs ps) { json.field(name, to_us(ps)); }

void write_breakdown_row(JsonWriter& json, const link::StepGraph& step, const StepPath& path, graph::Slot slot) {
  const std::uint32_t tag = step.graph.edge_tag(slot);
  json.begin_object();
  write_us(json, "start_us", step.time[path.solution.graph().source(slot)]);
  write_us(json, "duration_us", path.solution.weight(slot));
  json.field("type", identifier(step.kind(slot)));
  if (tag != graph::kNoTag) {
    const link::Owner& owner = step.owners[tag];
    json.field("name", step.strings.text(owner.name)).field("index", owner.ordinal);
    json.key("pid").raw(step.strings.text(step.lanes[owner.lane].process));
    json.key("tid").raw(step.strings.text(step.lanes[owner.lane].thread));
    json.field("stream", owner.stream).field("device", owner.device);
  }
  json.end_object();
}

}  // namespace

std::string next_whatif(const Invocation& invocation, const std::string& traces, const Interner& strings, const StepPath& path,
                        std::span<const link::JobRank> ranks) {
  std::vector<const Contributor*> by_gain;
  for (const Contributor& contributor : path.contributors) by_gain.push_back(&contributor);
  std::stable_sort(by_gain.begin(), by_gain.end(), [](const auto* a, const auto* b) { return a->gain_if_free > b->gain_if_free; });
  const auto ask = [&](std::string_view what, const std::string& selection) {
    return fmt::format("Next: what if {} twice as fast?  orrery whatif {}{} {}\n", what, traces, window_flags(invocation),
                       shell_quote(selection + " * 0.5"));
  };
  for (const Contributor* contributor : by_gain) {
    if (contributor->gain_if_free <= 0) break;
    if (const auto selection = analyze::selection_of(strings, *contributor, ranks)) return ask("it were", *selection);
  }
  // No single one saves anything: many are alike, and only all of them together do.
  if (path.relief && path.relief->gain > 0) return ask("all of it were", std::string(analyze::word_of(path.relief->bound)));
  return fmt::format("Next: see it on a timeline:  orrery path {}{} --overlay overlay.json.gz\n", traces, window_flags(invocation));
}

void write_relief_json(JsonWriter& json, const StepPath& path) {
  json.key("if_free");
  if (!path.relief) {
    json.null();
    return;
  }
  const analyze::Relief& relief = *path.relief;
  json.begin_object().field("edit", std::string(analyze::word_of(relief.bound)) + " remove").field("gain_us", to_us(relief.gain));
  json.field("gain_pct", 100.0 * fraction(relief.gain, path.length()))
      .field("then", analyze::verdict(relief.on_path, relief.length, std::nullopt, path.device_type));
  json.end_object();
}

std::string path_text(const Invocation& invocation, const link::StepGraph& step, const StepPath& path, const std::string& about_steps) {
  const link::StepWindow& window = step.window;
  const report::Style style = invocation.style();
  std::string text =
      style.paint(report::Tone::strong, fmt::format("{}, {}: {}.", window.label, format_duration(window.span()), verdict(step, path)));
  text += "\n";
  if (!window.why.empty()) text += fmt::format("This is {}; choose another with --annotation and --instance.\n", window.why);
  if (!about_steps.empty()) text += about_steps + "\n";
  text += fmt::format("The path covers {} of {} ({:.4g} %); replay residual {:.4g} %; {} without a recorded cause.\n\n",
                      format_duration(path.length()), format_duration(window.span()), 100.0 * fraction(path.length(), window.span()),
                      step.residual_percent(path.length()),
                      report::percent(static_cast<double>(path.unexplained()), static_cast<double>(path.length())));
  const report::SheetView view{.width = invocation.table_columns(), .style = style};
  text += to_text(analyze::bound_by_sheet(path), view) + "\n" + to_text(analyze::contributors_sheet(step, path), view) + "\n";
  text += "slack: how much later it could end without delaying the step. derivative: the part of a saving that reaches the step.\n";
  return text + next_whatif(invocation, shell_quote(step.source_path), step.strings, path, {});
}

// The parts that stand side by side are Sheets. By hand is what programs read under the kind's name ("edges_per_type": {"kernel": 7}), where a Sheet
// gives a list of rows, and the breakdown: it has a row per edge of the path, millions for a whole trace, and is written as it is gone through.
void write_path_json(JsonWriter& json, const link::StepGraph& step, const StepPath& path, bool with_breakdown) {
  const link::StepWindow& window = step.window;
  json.field("success", true).field("rank", step.rank);
  json.key("window").begin_object();
  json.field("label", window.label).field("why", window.why);
  write_us(json, "begin_us", window.begin);
  write_us(json, "span_us", window.span());
  write_us(json, "host_us", window.host_end - window.host_begin);
  json.end_object();
  json.field("nodes", step.graph.node_count()).field("edges", step.graph.edge_count());
  const auto per_kind = [&](std::string_view name, auto&& value_of) {
    json.key(name).begin_object();
    for (std::size_t k = 0; k < kEdgeKinds; ++k) json.field(identifier(static_cast<EdgeKind>(k)), value_of(path.kinds[k]));
    json.end_object();
  };
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.edges; });
  per_kind("edge_weight_us_per_type", [](const KindTotals& totals) { return to_us(totals.total); });
  std::vector<std::uint8_t> is_owner(step.owners.size(), 0);
  for (const graph::Slot slot : path.path.slots) {
    if (const std::uint32_t tag = step.graph.edge_tag(slot); tag != graph::kNoTag) is_owner[tag] = 1;
  }
  json.key("path").begin_object();
  json.field("nodes", path.path.nodes.size())
      .field("edges", path.path.slots.size())
      .field("events", std::count(is_owner.begin(), is_owner.end(), 1));
  write_us(json, "weight_us", path.length());
  per_kind("edges_per_type", [](const KindTotals& totals) { return totals.path_edges; });
  json.end_object();
  per_kind("bound_by_us", [](const KindTotals& totals) { return to_us(totals.on_path); });
  per_kind("summary_pct", [&](const KindTotals& totals) { return 100.0 * fraction(totals.on_path, path.length()); });
  json.field("verdict", verdict(step, path)).field("device_reach", step.reach.identifier());
  write_relief_json(json, path);
  json.field("coverage_pct", 100.0 * fraction(path.length(), window.span()));
  json.field("residual_pct", step.residual_percent(path.length()));
  json.field("typical_replay_pct", 100.0 * (fraction(analyze::typical_replay(step), window.span()) - 1.0));
  json.field("unexplained_pct", 100.0 * fraction(path.unexplained(), path.length()));
  write_sheet(json, analyze::contributors_sheet(step, path));
  if (!with_breakdown) return;
  json.key("breakdown").begin_array();
  for (const graph::Slot slot : path.path.slots) write_breakdown_row(json, step, path, slot);
  json.end_array();
}

}  // namespace orrery::cli

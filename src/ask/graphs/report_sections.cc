#include "ask/graphs/report_sections.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/blame/blame.h"
#include "analyze/diff/run_diff.h"
#include "analyze/roofline/roofline_sheets.h"
#include "analyze/whatif/recorded_collectives.h"
#include "ask/device_choice.h"
#include "ask/graphs/compared_run.h"
#include "graph/longest_path.h"
#include "page/sections/collectives_section.h"
#include "page/sections/diff_section.h"
#include "page/sections/ranks_section.h"
#include "page/sections/roofline_section.h"
#include "page/step_facts.h"

namespace orrery::ask {
namespace {

std::vector<page::Section> sections_of_graph(const causal::CausalGraph& job) {
  Diagnostics unsaid;  // too few steps to tell stragglers from chance: no straggler is named here
  return {
      page::ranks_section(job, analyze::find_blame(job, unsaid, false)),
      page::collectives_section(
          analyze::recorded_collectives_sheet(analyze::recorded_collectives(job)),
          "By kind, group and size, over all common steps. Transfer: from when what a rank needs is there to its end; "
          "bus bandwidth by NCCL's definition (GB/s); late rank: the one that others waited longest for.")};
}

/// As path has it, of one rank or of the job.
Result<AnalysedStep> analysed_step(const job::RecordedJob& job, const WindowChoice& choice) {
  Diagnostics said;  // the same is said of the page's own step
  if (job.trace().ranks.size() == 1) {
    const Result<causal::RankGraph> step =
        causal::make_rank_graph(job.trace(), job.trace().ranks.front(), window_of_rank(choice), said);
    if (!step) return step.error();
    return AnalysedStep{step->window.label, graph::solve(step->graph, step->end).length()};
  }
  const auto window = job.window(window_of_job(choice, true), said);
  if (!window) return window.error();
  const auto graph = job.graph(*window, {}, said);
  if (!graph) return graph.error();
  return AnalysedStep{graph->label, graph::solve(graph->graph, graph->end).length()};
}

/// Beyond, a table of operators says no more.
constexpr std::size_t kOperatorsOfRank = 20;
constexpr std::size_t kOperatorsOfEachRank = 5;

bool holds_together(const causal::CausalGraph& job) { return job.ranks.size() == 1 || !job.operations.empty(); }

}  // namespace

causal::WindowRequest window_of_rank(const WindowChoice& window) {
  return {.annotation = window.annotation,
          .first_instance = window.instances.first,
          .last_instance = window.instances.last};
}

job::JobWindowRequest window_of_job(const WindowChoice& window, bool typical) {
  return {.annotation = window.annotation,
          .first_instance = window.instances.first,
          .last_instance = window.instances.last,
          .typical = typical};
}

std::vector<page::Section> sections_of_rank(const trace::Trace& trace) {
  const report::Sheet collectives = analyze::recorded_collectives_sheet(analyze::recorded_collectives(trace, 0));
  return {page::Section{"ranks", "", {}, "one rank alone waits for nobody."},
          page::collectives_section(
              collectives,
              "As one rank saw it: transfer is its time in the calls, waiting for the others included, so that "
              "bandwidths (GB/s, by NCCL's definition) are what was reached at least. The files of all ranks tell "
              "who was late.")};
}

std::vector<page::Section> sections_of_job(const WindowChoice& window, const job::RecordedJob& job,
                                           const causal::CausalGraph& step) {
  if (step.operations.empty() && job.exchanges().all.empty()) {
    const std::string why = "no communication between these ranks was matched.";
    return {page::Section{"ranks", "", {}, why}, page::Section{"collectives", "", {}, why}};
  }
  // The page's step is all that was asked for, or all that there is.
  if (window.instances.first || step.is_whole_trace) return sections_of_graph(step);
  Diagnostics said;  // about the same ranks as the page's step
  const auto all = job.window({.annotation = window.annotation}, said);
  if (!all) return sections_of_graph(step);
  const auto graph = job.graph(*all, {}, said);
  return sections_of_graph(graph ? *graph : step);
}

Result<page::Section> section_of_roof(const std::optional<std::string>& device, const trace::Trace& trace) {
  if (!device)
    return page::Section{"roofline", "", {}, "no device was given to hold operators against (--device NAME)."};
  const auto chosen = choose_device(device, trace);
  if (!chosen) return chosen.error();
  Diagnostics said;  // about the same works as the page's step
  const auto ranks = analyze::look_at_devices(trace, window_of_rank({.annotation = ""}), false, said);
  if (!ranks) return ranks.error();
  const auto held = analyze::hold_against_roof(*ranks, (*chosen)->device);
  const std::size_t shown = ranks->size() == 1 ? kOperatorsOfRank : kOperatorsOfEachRank;
  return page::roofline_section(
      analyze::operators_sheet(held, analyze::RooflineOrder::lost, shown),
      fmt::format("Of the whole recording, against {}: what the shapes of an operator's calls ask for at the device's "
                  "peak rate or memory bandwidth, whichever takes longer. Lost is what was measured beyond that.",
                  (*chosen)->device.name));
}

Result<report::Sheet> runs_side_by_side(const trace::Trace& runs, const causal::WindowRequest& request,
                                        Diagnostics& diagnostics) {
  report::Sheet sheet("runs");
  sheet.add({.name = "run", .type = report::Type::integer, .title = "run", .decimals = report::kExact})
      .add({.name = "step", .title = "step"})
      .add({.name = "length", .type = report::Type::time, .unit = report::Unit::us, .title = "takes"})
      .add({.name = "verdict", .title = "bound by"})
      .add({.name = "file", .title = ""})
      .add({.name = "file_name", .title = "file", .people_only = true});
  for (const trace::RankTrace& run : runs.ranks) {
    const Result<causal::CausalGraph> step = causal::make_causal_graph(runs, run, request, diagnostics);
    if (!step) return step.error();
    const analyze::CausalPath path = analyze::take_path(*step, graph::solve(step->graph, step->end), 0, true);
    sheet.add_row({run.rank, step->label, path.length(), verdict(*step, path.sums), run.source.path,
                   std::filesystem::path(run.source.path).filename().string()});
  }
  return sheet;
}

page::Section section_without_changes() { return {"diff", "", {}, "no earlier run was given (--against TRACE)."}; }

Result<page::Section> section_of_changes(Context& context, const GraphRequest& graph,
                                         const std::vector<std::string>& against, const job::RecordedJob& job,
                                         const AnalysedStep& step) {
  if (against.empty()) return section_without_changes();
  RecordingRequest earlier = graph.recording;
  earlier.files = against;
  const auto before = load_recorded_job(context, earlier, graph.clock, /*operands=*/true);
  if (!before) return before.error();
  const WindowChoice& window = graph.window;
  const Result<AnalysedStep> before_step = analysed_step(*before, window);
  if (!before_step) return before_step.error();
  analyze::PieceClasses classes;
  const std::string &name_of_a = against.front(), &name_of_b = graph.recording.files.front();
  const auto a = compared_run(context, *before, name_of_a, window, CompareBy::operators, classes);
  if (!a) return a.error();
  const auto b = compared_run(context, job, name_of_b, window, CompareBy::operators, classes);
  if (!b) return b.error();
  if (const Status alike = check_alike(*a, *b, name_of_a, name_of_b); !alike)
    return page::Section{"diff", "", {}, alike.error().message + "."};
  if (!holds_together(a->step) || !holds_together(b->step))
    return page::Section{
        "diff",
        "",
        {},
        "no communication between the ranks of one of the runs was matched: orrery diff --rank N compares one rank."};
  const analyze::RunDiff diff = analyze::compare_runs(*a, *b, classes);
  return page::diff_section({*a, *b, diff, before_step->length, step.length, before_step->label, step.label});
}

}  // namespace orrery::ask

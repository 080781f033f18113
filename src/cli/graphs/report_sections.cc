#include "cli/graphs/report_sections.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/blame/blame.h"
#include "analyze/diff/run_diff.h"
#include "analyze/whatif/recorded_collectives.h"
#include "ask/graphs/compared_run.h"
#include "cli/frame/load.h"
#include "graph/longest_path.h"
#include "page/sections/collectives_section.h"
#include "page/sections/diff_section.h"
#include "page/sections/ranks_section.h"
#include "page/step_facts.h"

namespace orrery::cli {
namespace {

job::JobWindowRequest window_request(const Invocation& invocation, const Instances& instances, bool typical) {
  job::JobWindowRequest request{.first_instance = instances.first, .last_instance = instances.last, .typical = typical};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  return request;
}

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
Result<AnalysedStep> analysed_step(Invocation& invocation, const job::RecordedJob& job, const Instances& instances) {
  Diagnostics said;  // the same is said of the page's own step
  if (job.trace().ranks.size() == 1) {
    causal::WindowRequest request{.annotation = {}, .first_instance = instances.first, .last_instance = instances.last};
    if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
    const Result<causal::RankGraph> step =
        causal::make_rank_graph(job.trace(), job.trace().ranks.front(), request, said);
    if (!step) return step.error();
    return AnalysedStep{step->window.label, graph::solve(step->graph, step->end).length()};
  }
  const auto window = job.window(window_request(invocation, instances, true), said);
  if (!window) return window.error();
  const auto graph = job.graph(*window, {}, said);
  if (!graph) return graph.error();
  return AnalysedStep{graph->label, graph::solve(graph->graph, graph->end).length()};
}

bool holds_together(const causal::CausalGraph& job) { return job.ranks.size() == 1 || !job.operations.empty(); }

}  // namespace

std::vector<page::Section> sections_of_rank(const trace::Trace& trace) {
  const report::Sheet collectives = analyze::recorded_collectives_sheet(analyze::recorded_collectives(trace, 0));
  return {page::Section{"ranks", "", {}, "one rank alone waits for nobody."},
          page::collectives_section(
              collectives,
              "As one rank saw it: transfer is its time in the calls, waiting for the others included, so that "
              "bandwidths (GB/s, by NCCL's definition) are what was reached at least. The files of all ranks tell "
              "who was late.")};
}

std::vector<page::Section> sections_of_job(const Invocation& invocation, const job::RecordedJob& job,
                                           const causal::CausalGraph& step, bool of_all_steps) {
  if (step.operations.empty() && job.exchanges().all.empty()) {
    const std::string why = "no communication between these ranks was matched.";
    return {page::Section{"ranks", "", {}, why}, page::Section{"collectives", "", {}, why}};
  }
  if (of_all_steps) return sections_of_graph(step);
  Diagnostics said;  // about the same ranks as the page's step
  const auto window = job.window(window_request(invocation, {}, false), said);
  if (!window) return sections_of_graph(step);
  const auto graph = job.graph(*window, {}, said);
  return sections_of_graph(graph ? *graph : step);
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

Result<page::Section> section_of_changes(Invocation& invocation, const job::RecordedJob& job,
                                         const Instances& instances, const AnalysedStep& step) {
  if (!invocation.has("against")) return section_without_changes();
  const std::vector<std::string> operands = invocation.texts("against");
  const auto before = load_recorded_job(invocation, operands);
  if (!before) return before.error();
  const Result<AnalysedStep> before_step = analysed_step(invocation, *before, instances);
  if (!before_step) return before_step.error();
  analyze::PieceClasses classes;
  const ask::WindowChoice window = graph_request(invocation, {}).window;
  const auto a = ask::compared_run(invocation.context(), *before, operands.front(), window, classes);
  if (!a) return a.error();
  const auto b = ask::compared_run(invocation.context(), job, invocation.operands().front(), window, classes);
  if (!b) return b.error();
  if (const Status alike = ask::check_alike(*a, *b, operands.front(), invocation.operands().front()); !alike)
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

}  // namespace orrery::cli

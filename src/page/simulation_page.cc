#include "page/simulation_page.h"

#include <utility>

#include "analyze/blame/blame.h"
#include "analyze/schedule/schedule_sheets.h"
#include "graph/longest_path.h"
#include "job/recorded_job.h"
#include "page/sections/collectives_section.h"
#include "page/sections/ranks_section.h"
#include "page/trace_page.h"
#include "simulate/schedule_trace.h"

namespace orrery::page {
namespace {

/// As path lists them.
constexpr std::size_t kContributors = 10;

/// Why the run cannot be drawn; empty if it can.
std::string why_not_drawn(const SimulatedRun& run, std::uint64_t max_events) {
  const simulate::Schedule& schedule = run.schedule;
  if (schedule.activity_count() == 0)
    return "the run was added up as it went, and no activity of it was kept (--path keeps them).";
  if (!schedule.class_of_rank.empty() || schedule.activity_count() > max_events)
    return "the run has too many activities for a timeline; -o FOLDER writes a trace per rank, which orrery report "
           "takes.";
  if (schedule.makespan_ps() == 0) return "nothing in the run takes time.";
  return {};
}

/// What a profiler would have recorded of the run, with why everything began when it did.
Result<trace::Trace> trace_of(const SimulatedRun& run) {
  const Result<simulate::ScheduleTracer> tracer = simulate::ScheduleTracer::make(run.workload, run.schedule);
  if (!tracer) return tracer.error();
  trace::Trace trace;
  for (std::uint32_t rank = 0; rank < run.workload.rank_count(); ++rank)
    trace.ranks.push_back(tracer->trace_rank(rank, simulate::TraceDetail::causes, trace.strings).trace);
  return trace;
}

/// What is known without a trace of the run. `path`: of one that was made of it.
std::vector<Section> sections_of_run(const SimulatedRun& run, const analyze::PathSums* path) {
  std::vector<Section> sections;
  sections.push_back(simulated_verdict_section(run, path));
  sections.push_back(collectives_section(analyze::collective_kinds_sheet(run.collectives),
                                         "Collectives by kind, ranks and size; wait for the last: from the first "
                                         "arrival to the last; bus bandwidth by NCCL's definition."));
  sections.push_back(simulation_section(run));
  sections.push_back({"diff", "", {}, "the page is of a simulated run, not of recorded ones."});
  return sections;
}

/// The run looked at like a recorded one. What is remarked on that way is about calls that the trace made up, and is
/// left unsaid.
Result<TracePage> analysed_page(const SimulatedRun& run, Result<trace::Trace> trace, TracePageOptions options,
                                const Diagnostics& diagnostics) {
  if (!trace) return trace.error();
  Diagnostics unsaid;
  if (trace->ranks.size() == 1) {
    const Result<causal::CausalGraph> graph = causal::make_causal_graph(*trace, trace->ranks.front(), {}, unsaid);
    if (!graph) return graph.error();
    const analyze::CausalPath path =
        analyze::take_path(*graph, graph::solve(graph->graph, graph->end), kContributors, true);
    options.others = sections_of_run(run, &path.sums);
    options.others.push_back({"ranks", "", {}, "one rank alone waits for nobody."});
    return make_trace_page(*trace, {*graph, path}, std::move(options), diagnostics);
  }
  const Result<job::RecordedJob> job = job::RecordedJob::make(std::move(*trace), job::ClockChoice::one, unsaid);
  if (!job) return job.error();
  const Result<job::JobWindow> window = job->window({.typical = true}, unsaid);
  if (!window) return window.error();
  const Result<causal::CausalGraph> graph = job->graph(*window, {}, unsaid);
  if (!graph) return graph.error();
  const analyze::CausalPath path =
      analyze::take_path(*graph, graph::solve(graph->graph, graph->end), kContributors, true);
  options.others = sections_of_run(run, &path.sums);
  options.others.push_back(graph->operations.empty()
                               ? Section{"ranks", "", {}, "the ranks exchange nothing."}
                               : ranks_section(*graph, analyze::find_blame(*graph, unsaid, false)));
  return make_trace_page(job->trace(), {*graph, path}, std::move(options), diagnostics);
}

}  // namespace

Page make_simulation_page(const SimulatedRun& run, SimulationPageOptions options, const Diagnostics& diagnostics) {
  std::string why = why_not_drawn(run, options.max_events);
  if (why.empty()) {
    TracePageOptions about{.title = options.title,
                           .max_events = options.max_events,
                           .source = options.source,
                           .command = options.command,
                           .others = {},
                           .without_profiler = true,
                           .why_absent = "the page is of a simulated run."};
    Result<TracePage> made =
        analysed_page(run, options.trace ? std::move(*options.trace) : trace_of(run), std::move(about), diagnostics);
    if (made) return std::move(made->page);
    why = "the run cannot be looked at like a recorded one: " + made.error().message + ".";
  }
  std::vector<Section> sections = in_page_order(sections_of_run(run, nullptr), why);
  sections.push_back(provenance_section(options.source, diagnostics, sections));
  Page page;
  page.title = std::move(options.title);
  page.sections = std::move(sections);
  page.report_data = empty_report_data();
  return page;
}

}  // namespace orrery::page

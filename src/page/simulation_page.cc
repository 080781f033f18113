#include "page/simulation_page.h"

#include <fmt/format.h>

#include <utility>

#include "analyze/schedule_sheets.h"
#include "base/parallel.h"
#include "page/collectives_section.h"
#include "page/event_columns.h"
#include "page/interactive_sections.h"
#include "page/name_table.h"
#include "page/report_data.h"
#include "page/trace_page.h"
#include "simulate/schedule_trace.h"

namespace orrery::page {
namespace {

/// The timeline of the run: a section, what the script is told, and columns; or why there is none.
struct Timeline {
  Section section{"timeline", {}, {}, {}};
  std::string report_data = empty_report_data();
  std::vector<Blob> blobs = {};
};

Timeline without_timeline(std::string why) {
  Timeline none;
  none.section.why = std::move(why);
  return none;
}

trace::Trace trace_of(const simulate::ScheduleTracer& tracer, std::size_t ranks) {
  trace::Trace trace;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    trace.ranks.push_back(tracer.trace_rank(rank, simulate::TraceDetail::timeline, trace.strings).trace);
  return trace;
}

Timeline timeline_of(const SimulatedRun& run, std::uint64_t max_events) {
  const simulate::Schedule& schedule = run.schedule;
  if (schedule.activity_count() == 0)
    return without_timeline("the run was added up as it went, and no activity of it was kept (--path keeps them).");
  if (!schedule.class_of_rank.empty() || schedule.activity_count() > max_events)
    return without_timeline(
        "the run has too many activities for a timeline; -o FOLDER writes a trace per rank, which orrery report takes.");
  const Result<simulate::ScheduleTracer> tracer = simulate::ScheduleTracer::make(run.workload, schedule);
  if (!tracer) return without_timeline("the run cannot be drawn: " + tracer.error().message + ".");
  const trace::Trace trace = trace_of(*tracer, run.workload.rank_count());
  const EventTable events(trace, EventLimits{.most_events = max_events});
  if (events.events() == 0) return without_timeline("nothing in the run takes time.");
  StepFacts facts;
  facts.label = "simulated run";
  facts.begin = 0;  // of the schedule, in the times of its trace
  facts.span = facts.length = schedule.makespan_ps();
  Timeline timeline;
  timeline.section = timeline_section();
  timeline.report_data = report_data_json({trace, events, facts, std::nullopt, {}});
  const NameTable names(trace, events);
  timeline.blobs.resize(trace.ranks.size() + 1);
  timeline.blobs[0] = {"graph", -1, {}};
  timeline.blobs[0].table.push_back(names.column(trace.strings));
  parallel_for(trace.ranks.size(), [&](std::size_t r) { timeline.blobs[r + 1] = rank_blob(trace, events, names, r); });
  return timeline;
}

}  // namespace

Page make_simulation_page(const SimulatedRun& run, SimulationPageOptions options, const Diagnostics& diagnostics) {
  Timeline timeline = timeline_of(run, options.max_events);
  std::vector<Section> sections;
  sections.push_back(simulated_verdict_section(run));
  sections.push_back(std::move(timeline.section));
  sections.push_back(collectives_section(
      analyze::collective_kinds_sheet(run.collectives),
      "Collectives by kind, ranks and size; wait for the last: from the first arrival to the last; bus bandwidth by NCCL's definition."));
  sections.push_back(simulation_section(run));
  sections = in_page_order(std::move(sections), "the page is of a simulated run, not of a recorded step.");
  sections.push_back(provenance_section(options.source, diagnostics, sections));
  Page page;
  page.title = std::move(options.title);
  page.sections = std::move(sections);
  page.report_data = std::move(timeline.report_data);
  page.blobs = std::move(timeline.blobs);
  return page;
}

}  // namespace orrery::page

#include "page/trace_page.h"

#include <algorithm>
#include <iterator>

#include "analyze/path/device_works.h"
#include "base/parallel.h"
#include "page/data/argument_columns.h"
#include "page/data/codec.h"
#include "page/data/counter_lanes.h"
#include "page/data/event_columns.h"
#include "page/data/event_table.h"
#include "page/data/name_table.h"
#include "page/sections/interactive_sections.h"
#include "page/sections/kernels_section.h"
#include "page/sections/path_sections.h"
#include "page/sections/trust_section.h"

// Facts, events, names and the graph first, since sections and columns refer to them by number; then the sections in
// their order, with a reason for each that is missing; and the columns, rank by rank, at once.

namespace orrery::page {
namespace {

/// More rows than anybody reads would make a page large that has few events.
constexpr std::size_t kKernelNames = 1000;

/// Per rank and event 1 if time of it is on the path.
std::vector<Column<std::uint8_t>> path_events(const trace::Trace& trace, const Answer& answer) {
  const causal::CausalGraph& job = answer.graph;
  std::vector<Column<std::uint8_t>> marks;
  for (const trace::RankTrace& rank : trace.ranks) marks.emplace_back(rank.event_count(), std::uint8_t{0});
  for (const graph::Slot slot : answer.path.sums.path.slots) {
    const std::uint32_t tag = job.graph.edge_tag(slot);
    if (tag == graph::kNoTag) continue;
    const std::uint32_t rank = job.rank_of_owner(tag);
    if (const auto event = event_with_ordinal(trace.ranks[rank], job.owners[tag].ordinal)) marks[rank][*event] = 1;
  }
  return marks;
}

std::optional<std::int64_t> world_size(const trace::Trace& trace) {
  std::optional<std::int64_t> largest;
  for (const trace::RankTrace& rank : trace.ranks) {
    if (rank.source.world_size) largest = std::max(largest.value_or(0), *rank.source.world_size);
  }
  return largest;
}

/// Of the whole trace: what a reader of the table looks for is in the trace, if not in this step.
Result<report::Sheet> device_work(const trace::Trace& trace, const analyze::DeviceTimeOnPath& on_path, TimePs length) {
  Diagnostics repeated;  // of a trace that was gone through before
  const Result<std::vector<analyze::DeviceRank>> ranks = analyze::look_at_devices(trace, {"", {}, {}}, false, repeated);
  if (!ranks) return ranks.error();
  return analyze::device_work_sheet(trace.strings, analyze::sum_over_ranks(*ranks, {.top = kKernelNames}), on_path,
                                    length);
}

std::vector<Blob> encode(const trace::Trace& trace, const EventTable& events, const NameTable& names,
                         const std::vector<CounterLane>& counters, std::vector<EncodedColumn> graph_columns) {
  std::vector<Blob> blobs(trace.ranks.size() + 1);
  blobs[0] = {"graph", -1, std::move(graph_columns)};
  blobs[0].table.push_back(names.column(trace.strings));
  parallel_for(trace.ranks.size(), [&](std::size_t r) {
    blobs[r + 1] = rank_blob(trace, events, names, r);
    for (EncodedColumn& column : counter_columns(counters, static_cast<std::uint32_t>(r), events))
      blobs[r + 1].table.push_back(std::move(column));
  });
  return blobs;
}

std::optional<GraphSummary> summary_of(const PageGraph& graph) {
  if (graph.columns.empty()) return std::nullopt;
  return GraphSummary{graph.nodes, graph.edges, graph.begin, graph.end, graph.weight_unit_ps};
}

std::vector<SliderRange> slider_ranges(const graph::Graph& graph, graph::NodeId end, const StepFacts& facts) {
  std::vector<SliderRange> ranges;
  for (const Slider& slider : sliders_of(facts))
    ranges.push_back({slider, analyze::scaling_range(graph, end, slider.kinds)});
  return ranges;
}

}  // namespace

const std::vector<std::string>& section_order() {
  static const std::vector<std::string> order = {"verdict",  "trust",      "waterfall",   "contributors", "whatif",
                                                 "timeline", "ranks",      "collectives", "kernels",      "roofline",
                                                 "diff",     "simulation", "provenance"};
  return order;
}

std::vector<Section> in_page_order(std::vector<Section> sections, std::string_view why) {
  std::vector<Section> ordered;
  for (const std::string& id : section_order()) {
    const auto made =
        std::find_if(sections.begin(), sections.end(), [&](const Section& section) { return section.id == id; });
    if (made != sections.end()) ordered.push_back(std::move(*made));
    else if (id != "provenance") ordered.push_back({id, {}, {}, std::string(why)});
  }
  return ordered;
}

Result<TracePage> make_trace_page(const trace::Trace& trace, const Answer& answer, TracePageOptions options,
                                  const Diagnostics& diagnostics) {
  TracePage made;
  const analyze::RecordingCost recording(answer.graph);
  made.facts = step_facts(answer.graph, answer.path, options.without_profiler ? nullptr : &recording);
  made.facts.steps_differ = options.steps_differ;
  made.facts.recording_clause = options.recording_clause;
  const StepFacts& facts = made.facts;
  EventLimits limits{.most_events = options.max_events};
  // Whatever else is left out of a large page, the path can be followed.
  limits.must_stay = path_events(trace, answer);
  const EventTable events(trace, limits);
  made.events = events.events();
  made.events_left_out = events.left_out();
  const auto on_path = analyze::device_time_on_path(answer.graph, answer.path.sums);
  const Result<report::Sheet> kernels = device_work(trace, on_path, facts.length);
  if (!kernels) return kernels.error();
  const NameTable names(trace, events);
  const std::vector<CounterLane> counters = counter_lanes(trace, events);
  PageGraph graph = graph_columns(answer.graph, recording, places_in_page(answer.graph, trace, events, names));
  made.edges = graph.edges;

  std::vector<Section> sections = std::move(options.others);
  sections.push_back(verdict_section(facts));
  sections.push_back(trust_section({facts, diagnostics, made.events, made.events_left_out, world_size(trace)}));
  sections.push_back(waterfall_section(facts));
  sections.push_back(contributors_section(facts));
  sections.push_back(graph.why.empty()
                         ? whatif_section(facts, options.command)
                         : whatif_section_without_graph(facts, options.command, graph.why,
                                                        slider_ranges(answer.graph.graph, answer.graph.end, facts)));
  sections.push_back(timeline_section());
  sections.push_back(kernels_section(*kernels));
  sections = in_page_order(std::move(sections), options.why_absent);
  sections.push_back(provenance_section(options.source, diagnostics, sections));

  made.page.title = options.title;
  made.page.report_data =
      report_data_json({trace, events, counters, facts, summary_of(graph), std::move(options.command)});
  made.page.blobs = encode(trace, events, names, counters, std::move(graph.columns));
  Result<std::vector<Blob>> arguments = argument_blobs(trace, events, names);
  if (!arguments) return arguments.error();
  std::move(arguments->begin(), arguments->end(), std::back_inserter(made.page.blobs));
  made.page.sections = std::move(sections);
  return made;
}

}  // namespace orrery::page

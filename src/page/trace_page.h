// The page of a recorded run: one rank's step, or a job's, with every event on the timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/path/causal_path.h"
#include "base/diagnostics.h"
#include "page/data/report_data.h"
#include "page/page.h"
#include "page/sections/provenance_section.h"
#include "page/step_facts.h"
#include "trace/trace.h"

namespace orrery::page {

/// The analysed step: solved, with the gains of its contributors. Refers to what must outlive it.
struct Answer {
  const causal::CausalGraph& graph;
  const analyze::CausalPath& path;
};

struct TracePageOptions {
  std::string title;
  std::uint64_t max_events = 0;
  PageSource source;
  CommandParts command;
  std::string steps_differ = {};      ///< analyze::steps_differ
  std::string recording_clause = {};  ///< analyze::recording_clause
  std::vector<Section> others;  ///< ranks, collectives, roofline, diff: in the page where they belong, or absent with a
                                ///< reason; before the page's own of that id
  bool without_profiler = false;  ///< the trace is at the times of the run as it would be: nothing is left to take off
  std::string why_absent = "this is a recorded run.";  ///< of sections that nobody made
};

struct TracePage {
  Page page;
  StepFacts facts;
  std::uint64_t events = 0, events_left_out = 0;
  std::size_t edges = 0;  ///< of the graph in the page
};

/// `trace`: what the graph was made of; of one rank, that rank alone. `diagnostics`: all that was remarked so far.
Result<TracePage> make_trace_page(const trace::Trace& trace, const Answer& answer, TracePageOptions options,
                                  const Diagnostics& diagnostics);

/// The ids of all sections in the order of the page.
const std::vector<std::string>& section_order();
/// Sections in that order; those that nobody made are absent with `why`.
std::vector<Section> in_page_order(std::vector<Section> sections, std::string_view why);

}  // namespace orrery::page

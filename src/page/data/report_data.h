// What the page's script is told besides columns: the JSON of #report-data (docs/REPORT.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/data/counter_lanes.h"
#include "page/data/event_table.h"
#include "page/step_facts.h"
#include "trace/trace.h"

namespace orrery::page {

/// A slider of the what-if form.
struct Slider {
  std::string edit;         ///< "gap:launch"
  std::string title;        ///< "Launch delay"
  std::uint32_t kinds = 0;  ///< that it scales: bit per causal::EdgeKind
};
/// Those whose time occurs in the graph.
std::vector<Slider> sliders_of(const StepFacts& facts);

/// The graph that the page can solve again.
struct GraphSummary {
  std::size_t nodes = 0, edges = 0;
  std::uint64_t begin = 0, end = 0;  ///< positions
  TimePs weight_unit_ps = 1;
};

struct CommandParts {
  std::vector<std::string> operands;  ///< quoted for a shell
  std::vector<std::string> flags;
  std::string note = {};  ///< a sentence on what the operands are, if they cannot be given as they stand
};

struct ReportDataInputs {
  const trace::Trace& trace;
  const EventTable& events;
  const std::vector<CounterLane>& counters;
  const StepFacts& facts;
  std::optional<GraphSummary> graph;
  CommandParts command;
};

/// With every < as \u003c, so that it can stand in a script element.
std::string report_data_json(const ReportDataInputs& inputs);

/// The same for a page without a timeline.
std::string empty_report_data();

}  // namespace orrery::page

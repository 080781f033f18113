// Where the page has the events, names and lanes that a graph speaks of.
#pragma once

#include "page/data/event_table.h"
#include "page/data/graph_columns.h"
#include "page/data/name_table.h"
#include "trace/trace.h"

namespace orrery::page {

/// All of them must outlive the result. The ranks of the graph are those of the trace.
PagePlaces places_in_page(const causal::CausalGraph& job, const trace::Trace& trace, const EventTable& events,
                          const NameTable& names);

}  // namespace orrery::page

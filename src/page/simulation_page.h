// The page of a simulated run, with its activities on the timeline where they were kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "page/data/report_data.h"
#include "page/page.h"
#include "page/sections/provenance_section.h"
#include "page/sections/simulation_section.h"
#include "trace/trace.h"

namespace orrery::page {

struct SimulationPageOptions {
  std::string title;
  PageSource source;
  CommandParts command = {};  ///< orrery whatif of what the run writes
  std::optional<trace::Trace> trace =
      {};  ///< what a profiler would have recorded of it; none: what ScheduleTracer makes of it
  std::uint64_t max_events = 4'000'000;  ///< with more activities there is no timeline
};

/// `diagnostics`: all that was remarked so far.
Page make_simulation_page(const SimulatedRun& run, SimulationPageOptions options, const Diagnostics& diagnostics);

}  // namespace orrery::page

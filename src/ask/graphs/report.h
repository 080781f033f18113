// One page with everything, for a browser: verdict, what-if and timeline of a step, of one rank or of a whole job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ask/graphs/causal_source.h"

namespace orrery::ask {

struct ReportRequest {
  GraphRequest graph = {};
  std::vector<std::string> against = {};         ///< files of an earlier run: the page says what changed since
  std::optional<std::string> device = {};        ///< that operators are held against; none: they are not
  std::optional<std::uint64_t> max_events = {};  ///< on the timeline at most; none: four million
  std::optional<std::string> title = {};         ///< none: the name of what was given
  std::string output = "report.html";            ///< the page
};
template <typename Visitor>
void fields(ReportRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("against", request.against);
  visit("device", request.device);
  visit("max-events", request.max_events);
  visit("title", request.title);
  visit("output", request.output);
}

/// Writes the page, and says what is on it. Of several runs, which share nothing, it is that of the first, with all of
/// them side by side.
Result<report::Answer> run(const ReportRequest& request, Context& context);

}  // namespace orrery::ask

// Where the step goes: the critical path of a step, of one rank or of a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/path/causal_path.h"
#include "analyze/path/step_spread.h"
#include "ask/compat.h"
#include "ask/graphs/causal_source.h"

namespace orrery::ask {

struct PathRequest {
  GraphRequest graph = {};
  bool breakdown = false;                   ///< for programs: one row per edge of the path
  std::optional<TimePs> unprofiled = {};    ///< what a step takes without the profiler
  std::optional<std::string> overlay = {};  ///< the trace again with the path marked; of several ranks a folder
  bool all_edges = false;                   ///< of the overlay: arrows for all edges, not only the critical ones
  bool only_critical = false;               ///< of the overlay: leave out complete events that are not critical
  Compat compat = Compat::none;
  // HTA's own, and meaningless otherwise.
  std::optional<std::string> dump_graph = {};  ///< every node and edge to files that begin so
  std::vector<std::string> data_load_events = {};
  bool zero_weight_launch_edges = false;
  bool strict = false;
  bool include_last_step = false;
};
template <typename Visitor>
void fields(PathRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("breakdown", request.breakdown);
  visit("unprofiled", request.unprofiled);
  visit("overlay", request.overlay);
  visit("all-edges", request.all_edges);
  visit("only-critical", request.only_critical);
  visit("compat", choice(request.compat, kCompatWords));
  visit("dump-graph", request.dump_graph);
  visit("data-load-events", request.data_load_events);
  visit("zero-weight-launch-edges", request.zero_weight_launch_edges);
  visit("strict", request.strict);
  visit("include-last-step", request.include_last_step);
}

Result<report::Answer> run(const PathRequest& request, Context& context);

// For questions whose answers have a path in them.

/// The member `steps`: how much steps differ; null where there are fewer than two. The sentence is
/// analyze::steps_differ.
void tell_step_spread(report::Facts& facts, const std::optional<analyze::StepSpread>& spread);

/// Every rank's file again with its part of the path, under its own name in the folder `output`; of one rank that file.
Status write_overlays(const causal::CausalGraph& job, const analyze::PathSums& path, bool all_edges, bool only_critical,
                      const std::string& output);

}  // namespace orrery::ask

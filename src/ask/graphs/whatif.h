// Change something, solve again, compare: of a step, of one rank or of a whole job.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "ask/graphs/causal_source.h"
#include "ask/workloads/network.h"
#include "base/team/sweep.h"

namespace orrery::ask {

/// "0.5,1,2"
Status parse_factors(std::string_view text, std::vector<double>& factors);

struct WhatIfRequest {
  GraphRequest graph = {};
  std::vector<analyze::ParsedEdit> edits = {};  ///< in this order; none: what a machine or another order makes of it
  std::vector<double> factors = {};             ///< of a sweep: solve with the factor of scaling edits replaced by each
  std::optional<std::string> checkpoint = {};   ///< of a sweep: keeps finished points in this file
  std::optional<std::string> machine = {};      ///< simulate what ranks exchange on it: a file, or one that is shipped
  std::optional<machine::NetworkModelKind> network_model = {};  ///< of the machine; none: fluid, with contention
  bool moves = false;                                           ///< what another order would bring
  std::optional<std::string> device =
      {};                     ///< that edits hold work against, or that computing shares; none: what the recording says
  bool interference = false;  ///< computing beside communication is as long as that makes it
  std::optional<TimePs> unprofiled = {};    ///< what a step takes without the profiler
  std::optional<std::string> overlay = {};  ///< the trace again with the new path marked; of several ranks a folder
  bool all_edges = false;                   ///< of the overlay: arrows for all edges, not only the critical ones
  bool only_critical = false;               ///< of the overlay: leave out complete events that are not critical
};
template <typename Visitor>
void fields(WhatIfRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("sweep", written(request.factors, parse_factors));
  visit("checkpoint", request.checkpoint);
  visit("machine", request.machine);
  visit("network-model", choice(request.network_model, kNetworkModelWords));
  visit("moves", request.moves);
  visit("device", request.device);
  visit("interference", request.interference);
  visit("unprofiled", request.unprofiled);
  visit("overlay", request.overlay);
  visit("all-edges", request.all_edges);
  visit("only-critical", request.only_critical);
}

/// The sentence, what the edits selected, what the path was made of before and after, what moved, what becomes of each
/// rank, and the sweep. Fails if an edit selects nothing.
Result<report::Answer> run(const WhatIfRequest& request, Context& context);

/// The points that `run` would solve, with all that they need, for a process that helps the one that runs it. Null: the
/// inputs do not give it here.
std::unique_ptr<Sweep> open_sweep(const WhatIfRequest& request, Context& context);

}  // namespace orrery::ask

// What is worth fixing first, over all ranks of a job: the opportunities, each solved again.
#pragma once

#include <optional>

#include "ask/graphs/causal_source.h"

namespace orrery::ask {

struct TopRequest {
  GraphRequest graph = {};
  std::optional<TimePs> unprofiled = {};  ///< what a step takes without the profiler
};
template <typename Visitor>
void fields(TopRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("unprofiled", request.unprofiled);
}

/// What matters most in a sentence, then opportunities, which of them save the same, in which order to work, and what
/// ranks would save by being typical.
Result<report::Answer> run(const TopRequest& request, Context& context);

}  // namespace orrery::ask

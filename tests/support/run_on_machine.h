// Runs a job on a machine by one of the models that a machine can name, for tests that have no remarks to look at.
#pragma once

#include <algorithm>
#include <string_view>

#include "simulate/run.h"

namespace orrery::testing {

/// `model`: of machine::kNetworkModelNames.
inline simulate::Pricing pricing_named(std::string_view model) {
  const auto& names = machine::kNetworkModelNames;
  return simulate::pricing_of(
      static_cast<machine::NetworkModelKind>(std::find(names.begin(), names.end(), model) - names.begin()));
}

/// `job`: a Workload or a source of one.
template <typename Job>
Result<simulate::Outcome> run_on_machine(Job& job, const machine::Machine& machine, std::string_view model,
                                         const simulate::EngineOptions& options,
                                         simulate::ScheduleSink* sink = nullptr) {
  Diagnostics ignored;
  return simulate::run(job, machine, pricing_named(model), options, ignored, sink);
}

}  // namespace orrery::testing

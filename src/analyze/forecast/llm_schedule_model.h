// Published steps by running their schedules: the model that llm::predict may be given instead of closed forms.
#pragma once

#include "base/diagnostics.h"
#include "llm/backtest/backtest.h"
#include "simulate/pricing/pricing.h"

namespace orrery::analyze {

/// Where a row leaves the micro-batch open, the one with the shortest folded step is run. `catalog`, `network` and
/// `diagnostics` must outlive it.
llm::StepModel schedule_model(const llm::Catalog& catalog, const simulate::PricingOptions& network,
                              Diagnostics& diagnostics);

}  // namespace orrery::analyze

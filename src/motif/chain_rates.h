// How often a chain takes each of its steps.
#pragma once

#include <vector>

#include "motif/motif.h"

namespace orrery::motif {

/// Per step of the chain, the expected number per entry. Steps are laws of their own, which need not balance; the shares of the steps after one context are
/// what a walk is drawn by, and from these the numbers follow: what comes to a context leaves it. A chain whose shares never lead to its end has the numbers
/// that its laws say.
std::vector<double> step_rates(const Flow& chain, const Scope& scope);

}  // namespace orrery::motif

// What the order of calls tells beyond their counts, for traces that have it: which way a chain takes depends on where
// it came from (a variable-order Markov chain: Rissanen 1983), and what a call sends on which visit of its block this
// is (the level of a search).
#pragma once

#include <vector>

#include "motif/fit/observation.h"

namespace orrery::motif::fit {

/// Lengthens the contexts of every chain in `flow` where Schwarz's criterion says that the longer past matters, and
/// fills `level_weights` of sites whose bytes differ from visit to visit. Runs without a sequence change nothing.
void learn_order(const std::vector<ClassRun>& runs, SizeMeaning meaning, Flow& flow, std::vector<Site>& sites);

}  // namespace orrery::motif::fit

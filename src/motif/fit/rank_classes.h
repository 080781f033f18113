// Which ranks do the same: classes that hold at any number of ranks.
#pragma once

#include <vector>

#include "motif/fit/fit_motif.h"
#include "motif/fit/observation.h"

namespace orrery::motif::fit {

/// The coarsest of the known partitions (all; diagonal and the rest; corners, edges and interior of a grid; the first,
/// the last and the rest) in which the ranks of a class make the same calls in every run. Where none does, ranks differ
/// by data and not by place: all are one class, in the mean.
std::vector<ClassObservation> classify_ranks(const std::vector<RankRun>& ranks);

/// Communicators and partners of each site, as far as they follow a pattern in all its calls.
void find_site_patterns(const std::vector<RankRun>& ranks, std::vector<Site>& sites);

}  // namespace orrery::motif::fit

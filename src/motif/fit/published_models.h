// The laws that the published model files know, fitted to the same runs: what a motif is compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "motif/fit/fit_motif.h"
#include "motif/fit/law.h"

namespace orrery::motif::fit {

/// Times of transitions, or bytes after a call site (`edge.second` is 0 then), in one of the published families.
struct PublishedModel {
  Edge edge = {};
  Law law = {};
  bool is_constant = false;
};
struct PublishedModels {
  std::vector<PublishedModel> times = {}, bytes = {};
};

/// `family` is exponential or polynomial (the degree follows from the number of runs, the same for all). Of the first
/// class of ranks.
PublishedModels fit_published(const Observations& observations, Family family);

}  // namespace orrery::motif::fit

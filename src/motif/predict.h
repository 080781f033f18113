// What a motif says of a run: calls, bytes and time without a network. The sum of the times of all transitions is the total, since the time inside
// MPI is part of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "motif/motif.h"

namespace orrery::motif {

/// Of one call site, in the mean over the ranks.
struct SiteUse {
  std::uint32_t site = 0;
  double calls = 0;
  double bytes = 0;  ///< sent, in all of them
};
struct TransitionUse {
  std::uint32_t from = 0, to = 0;
  double times = 0;       ///< executions
  double time_us = 0;     ///< of one
  double compute_us = 0;  ///< of one: the local part
};
struct FunctionUse {
  std::string operation;
  double calls = 0, bytes = 0;
};

struct Prediction {
  double total_us = 0, low_us = 0, high_us = 0;  ///< and the interval that holds nine of ten runs
  double compute_us = 0;                         ///< the local part of the total
  double calls = 0;
  std::vector<FunctionUse> functions = {};      ///< by name
  std::vector<SiteUse> sites = {};              ///< by site
  std::vector<TransitionUse> transitions = {};  ///< by (from, to), without the start of the program
};

Prediction predict(const Motif& motif, const RunParameters& run);

/// Half the width of the interval, in standard deviations of the logarithm: bilinear in the table, and no narrower outside it than at its border.
double log_sigma(const Uncertainty& uncertainty, const RunParameters& run);

}  // namespace orrery::motif

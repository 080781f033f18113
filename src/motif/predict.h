// What a motif says of a run: calls, bytes and time without a network. The sum of the times of all transitions is the
// total, since the time inside MPI is part of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
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
  /// What a simulated run lies between: computing alone at the low end of the interval, where calls cost nothing, and
  /// the whole at its high end. The times of traces have waiting for ranks that were slower just then, which no network
  /// makes: where a simulated run is short, it is by that.
  double simulated_low_us = 0, simulated_high_us = 0;
  double calls = 0;
  std::vector<FunctionUse> functions = {};      ///< by name
  std::vector<SiteUse> sites = {};              ///< by site
  std::vector<TransitionUse> transitions = {};  ///< by (from, to), without the start of the program
};

Prediction predict(const Motif& motif, const RunParameters& run);

/// How many times the data, and the nodes, of the largest run that the motif was fitted to; below 1: of the smallest; 1
/// within the range, or if the file does not say.
struct Extrapolation {
  double size = 1, nodes = 1;

  /// The farther of the two, above 1.
  [[nodiscard]] double farthest() const;
};
Extrapolation extrapolation(const Motif& motif, const RunParameters& run);

/// Laws hold near what they were fitted to: nobody has seen what a program does with a million times the data. Up to
/// kFarTimes the interval is made from fits to parts of the runs; beyond, it grows as below and the answer is given
/// with a warning; beyond kMostTimes there is none.
inline constexpr double kFarTimes = 16, kMostTimes = 0x1p20;
Status check_extrapolation(const Motif& motif, const RunParameters& run);

/// Half the width of the interval, in standard deviations of the logarithm: bilinear in the table, and no narrower
/// outside it than at its border. Beyond kFarTimes outside of what was fitted kExponentSigma more for each factor e: as
/// if the power with which the total grows were known to no more than that.
inline constexpr double kExponentSigma = 0.1;
double log_sigma(const Motif& motif, const RunParameters& run);

}  // namespace orrery::motif

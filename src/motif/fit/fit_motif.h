// From runs to a Motif.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "motif/fit/observation.h"
#include "motif/fit/times_fit.h"
#include "motif/motif.h"

namespace orrery::motif::fit {

/// One class of ranks in all runs that have it.
struct ClassObservation {
  std::string name = "all";
  Members members = Members::all;
  Formula share = Formula(1.0);
  std::vector<ClassRun> runs = {};
};

struct Observations {
  std::string program = {};
  std::vector<Site> sites = {};  ///< what is known of each, ascending by id; their bytes are fitted
  std::vector<ClassObservation> classes = {};
};

/// A fitted law beside what it was fitted to, for people: `motif show` and the report of a fit.
struct SiteFit {
  std::uint32_t site = 0;
  std::string family = {};
  double error_pct = 0;
};
struct FitOutcome {
  Motif motif = {};
  std::vector<FamilyScore> scores = {};  ///< of times
  std::vector<SiteFit> sites = {};
};

inline constexpr std::size_t kFewestRuns = 3;

/// Too few runs, runs without calls, and runs of the same parameters that are not of the same program are an Error.
Result<FitOutcome> fit_motif(const Observations& observations);

}  // namespace orrery::motif::fit

// Laws of what call sites send.
#pragma once

#include <string>
#include <vector>

#include "motif/fit/law.h"
#include "motif/formula.h"

namespace orrery::motif::fit {

struct BytesFit {
  Formula formula = {};
  std::string family = {};
  double error_pct = 0;  ///< mean error of the runs it was fitted to
};

/// `bytes[i]` is the mean of a call in `runs[i]`. An exact law (8; 8*s) if there is one, otherwise the family that
/// predicts left-out runs best.
BytesFit fit_bytes(const std::vector<RunParameters>& runs, const std::vector<double>& bytes, SizeMeaning meaning);

}  // namespace orrery::motif::fit

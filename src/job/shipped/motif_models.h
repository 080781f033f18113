// Runs as published model files: exponential or polynomial, for whoever has a simulator that reads those.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "motif/fit/fit_motif.h"

namespace orrery::job {

/// Writes PREFIX.exec_exp.model, PREFIX.msg_exp.model, PREFIX.exec_poly.model and PREFIX.msg_poly.model; returns their
/// names.
Result<std::vector<std::string>> write_published_models(const motif::fit::Observations& observations,
                                                        const std::string& prefix);

}  // namespace orrery::job

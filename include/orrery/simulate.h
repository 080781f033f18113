// What would happen: a workload on a machine that is described in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orrery/answer.h"
#include "orrery/export.h"
#include "orrery/result.h"

namespace orrery::api {

struct SimulateOptions {
  /// What runs: a prefix or files of execution traces, or anything else that the program simulates.
  std::vector<std::string> workload;
  std::string machine;                            ///< a file that describes it, or the name of a shipped one
  std::optional<std::string> network_model = {};  ///< how communication is timed; none: as the machine says
};

[[nodiscard]] ORRERY_API Result<Answer> simulate(const SimulateOptions& options);

}  // namespace orrery::api

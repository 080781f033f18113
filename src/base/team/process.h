// Running another program and waiting for it, but not for ever.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace orrery {

struct ProcessOutcome {
  int exit_code = 0;       ///< 128 + signal if it was ended by one
  bool timed_out = false;  ///< it was killed
};

/// `command[0]` is looked up in PATH unless it has a slash. Standard output and error go to `output_path`, standard
/// input is empty. The program and what it started are killed after `timeout`. An Error if it cannot be started.
Result<ProcessOutcome> run_process(const std::vector<std::string>& command, const std::string& output_path,
                                   std::chrono::milliseconds timeout);

}  // namespace orrery

// What the process ends with. Scripts rely on these numbers: they do not change.
#pragma once

namespace orrery::cli {

enum class ExitCode : int {
  ok = 0,
  check_failed = 1,  ///< the verb did its work, and a check or a threshold of the user's did not hold
  usage = 2,         ///< the command line makes no sense
  bad_input = 3,     ///< an input cannot be used, or an output cannot be written
  internal = 4,      ///< our own fault, or no memory left
};

}  // namespace orrery::cli

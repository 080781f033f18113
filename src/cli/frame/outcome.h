// The end of a run: results to stdout or to the file of -o, remarks and errors to stderr, the envelope if it was asked
// for.
#pragma once

#include "cli/frame/console.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/invocation.h"
#include "cli/frame/message.h"

namespace orrery::cli {

/// Prints what `invocation` holds after its verb ended with `code`; returns the exit code of the process, which is
/// another one when the output cannot be written. After ok and check_failed the result is delivered; otherwise the
/// failure is reported and the file of -o is left as it was: a failed run's envelope goes to stdout.
ExitCode finish(Invocation& invocation, ExitCode code);

/// The same for a run that ended with `failure` at any point.
ExitCode finish_failed(Invocation& invocation, const Failure& failure);

}  // namespace orrery::cli

// The end of a run: results to stdout or to the file of -o, remarks and errors to stderr, the envelope if it was asked
// for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ask/context.h"
#include "ask/provenance.h"
#include "cli/frame/console.h"
#include "cli/frame/invocation.h"
#include "cli/frame/message.h"
#include "cli/frame/verb.h"

namespace orrery::cli {

// The one JSON object that --json prints, whatever the verb:
//
//     {"schema":"orrery.path/1","ok":true,"data":{…},
//      "diagnostics":[{"code":"K104","severity":"warning","count":12,"message":"…","hint":"…"}],
//      "provenance":{"version":"0.1.0","command":"orrery path
//      …","inputs":[{"path":"…","bytes":1,"xxh3":"…"}],"seed":null}}
//
// printed on one line. "ok" is true when the exit status is 0. The number in the schema grows when a member changes its
// meaning or goes away.

/// What stands before and after the members of the data object. In two pieces, so that large data is not copied.
struct Envelope {
  std::string head;
  std::string tail;
};
Envelope make_envelope(std::string_view verb, bool ok, const std::vector<ask::Remark>& remarks,
                       const ask::Provenance& provenance);

/// Prints what `invocation` holds after its verb ended with `code`; returns the exit code of the process, which is
/// another one when the output cannot be written. After ok and check_failed the result is delivered; otherwise the
/// failure is reported and the file of -o is left as it was: a failed run's envelope goes to stdout.
ExitCode finish(Invocation& invocation, ExitCode code);

/// The same for a run that ended with `failure` at any point.
ExitCode finish_failed(Invocation& invocation, const Failure& failure);

}  // namespace orrery::cli

// What a scrub did, or would do: for people and as JSON.
#pragma once

#include "cli/frame/invocation.h"
#include "scrub/scrub.h"

namespace orrery::cli {

/// Fills data() or text(). Original names appear only in the report of a dry run.
void report_scrub(Invocation& invocation, const scrub::Request& request, const scrub::Outcome& outcome);

}  // namespace orrery::cli

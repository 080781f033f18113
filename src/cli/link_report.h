// What orrery link says: how much was brought together, what came of it, and how well it replays.
#pragma once

#include "analyze/link_job.h"
#include "cli/invocation.h"

namespace orrery::cli {

/// As text or into the envelope, whichever was asked for.
void report_link(Invocation& invocation, const analyze::LinkedJob& job);

}  // namespace orrery::cli

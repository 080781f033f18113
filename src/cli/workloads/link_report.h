// What orrery link says: how much was brought together, what came of it, and how well it replays.
#pragma once

#include "cli/frame/invocation.h"
#include "job/pairs/linked_job.h"

namespace orrery::cli {

/// As text or into the envelope, whichever was asked for.
void report_link(Invocation& invocation, const job::LinkedJob& job);

}  // namespace orrery::cli

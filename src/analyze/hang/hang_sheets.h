// The ranks and groups of a job that hangs, as tables.
#pragma once

#include "analyze/hang/hang.h"
#include "report/facts.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// A row per rank: what it waits in and for whom, and its last call. Culprits stand out.
report::Sheet hang_ranks_sheet(const JobCalls& job, const Hang& hang);

/// A row per group: how far all members are, and who has called least and most.
report::Sheet hang_groups_sheet(const JobCalls& job);

/// Everything for programs, as members of the object that is open: docs/HANG.md lists them.
void tell_hang(report::Facts& facts, const JobCalls& job, const Hang& hang);

}  // namespace orrery::analyze

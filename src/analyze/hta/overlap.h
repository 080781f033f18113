// get_comm_comp_overlap: how much of the time of communication also computes.
#pragma once

#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// A row per rank; null without communication.
report::Sheet overlap_sheet(const causal::hta::JobRows& job);

}  // namespace orrery::analyze::hta

// get_comm_comp_overlap: how much of the time of communication also computes.
#pragma once

#include "link/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// A row per rank; null without communication.
report::Sheet overlap_sheet(const link::hta::JobRows& job);

}  // namespace orrery::analyze::hta

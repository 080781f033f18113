// get_memory_bw_summary: the rates of copies and sets, as samples of a running sum.
#pragma once

#include <vector>

#include "base/result.h"
#include "link/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// The rows of a rank that copy or set memory, in the order of the frame: whose rates `copy_rates_sheet` asks for.
std::vector<link::hta::RowIndex> copy_rows(const link::hta::RankRows& rank);

/// Statistics of the rates after each start and end that leave something above 0, per rank and kind of copy. `rates_gbps`: per rank, one per copy
/// row, as the trace writes them. The sums are in double and in HTA's order: the dust that cancelling leaves counts. Fails if no rank has copies.
Result<report::Sheet> copy_rates_sheet(const link::hta::JobRows& job, const std::vector<std::vector<double>>& rates_gbps);

}  // namespace orrery::analyze::hta

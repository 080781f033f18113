// get_memory_bw_summary: the rates of copies and sets, as samples of a running sum.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// The rows of a rank that copy or set memory, in the order of the frame: whose rates `copy_rates_sheet` asks for.
std::vector<causal::hta::RowIndex> copy_rows(const causal::hta::RankRows& rank);

/// What copies of one kind run at together, from `time` on.
struct CopyRate {
  TimePs time = 0;
  double gbps = 0;
  causal::hta::RowIndex row = 0;  ///< the copy that starts or ends
  std::size_t place = 0;          ///< among all starts of the rank, then all ends, each in the order of `copy_rows`
};
/// By kind of copy ("Memcpy DtoH"), in the order of time. `rates_gbps`: one per copy row, as the trace writes them. The
/// sums are in double and in HTA's order.
std::map<std::string_view, std::vector<CopyRate>> copy_series(const causal::hta::RankRows& rank,
                                                              const std::vector<double>& rates_gbps);

/// Statistics of the rates after each start and end that leave something above 0, per rank and kind of copy.
/// `rates_gbps`: per rank, one per copy row, as the trace writes them. The sums are in double and in HTA's order: the
/// dust that cancelling leaves counts. Fails if no rank has copies.
Result<report::Sheet> copy_rates_sheet(const causal::hta::JobRows& job,
                                       const std::vector<std::vector<double>>& rates_gbps);

}  // namespace orrery::analyze::hta

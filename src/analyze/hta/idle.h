// get_idle_time_breakdown: gaps between the kernels of each stream, and what HTA takes for their reason.
#pragma once

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct IdleSheets {
  report::Sheet
      times;  ///< per rank, stream (in order of appearance) and reason: the sum of gaps, its share of the stream's
  report::Sheet intervals;  ///< the same rows: statistics of the gaps
};

/// A gap is from the end of the row before on the stream, whichever that is, and may be negative. The host is to blame
/// if the launch began after that end; else a gap below `kernel_delay_us` lies between kernels. Fails if a rank has no
/// kernels, copies or sets.
Result<IdleSheets> idle_sheets(causal::hta::RankChoice ranks, double kernel_delay_us);
inline Result<IdleSheets> idle_sheets(const causal::hta::JobRows& job, double kernel_delay_us) {
  return idle_sheets(all_ranks(job), kernel_delay_us);
}

}  // namespace orrery::analyze::hta

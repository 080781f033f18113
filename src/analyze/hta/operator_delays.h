// get_aten_op_kernels_and_delay: the kernels of each operator, and how long they take to be launched and to start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct OperatorDelay {
  std::int64_t rank = 0;
  std::string operator_name = {};
  std::vector<std::string> kernels = {};
  std::size_t count = 0;
  double launch_delay_us = 0;   ///< from the start of the operator to that of its first launch, the mean
  double runtime_delay_us = 0;  ///< from there to the start of the kernel
};

/// Most frequent first, per rank; HTA never empties its list, so that later ranks' answers hold the earlier ranks'
/// calls too. Fails if a launch below an operator has not exactly one kernel, or if up to some rank there is no launch
/// below an operator.
Result<std::vector<OperatorDelay>> operator_delays(causal::hta::RankChoice ranks);
inline Result<std::vector<OperatorDelay>> operator_delays(const causal::hta::JobRows& job) {
  return operator_delays(all_ranks(job));
}

report::Sheet operators_sheet(const std::vector<OperatorDelay>& delays);

}  // namespace orrery::analyze::hta

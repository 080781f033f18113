// get_cupti_counter_data_with_operators: hardware counters of kernels, with the operators that launched them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct CounterRow {
  std::int64_t rank = 0;
  causal::hta::RowIndex range = 0;   ///< the counted range
  causal::hta::RowIndex launch = 0;  ///< the call it is paired with
  std::string kernel = {};
  std::vector<std::string> op_stack = {};            ///< outermost first
  std::map<std::string, std::string> counters = {};  ///< name to value as JSON; "-1" where the range has none
};

/// What the range of a row has among its arguments: name to value as JSON.
using RangeArguments = std::map<std::string, std::string>;

/// The counted ranges of a rank, by start: whose arguments `counter_rows` asks for.
std::vector<causal::hta::RowIndex> counted_ranges(const causal::hta::RankRows& rank);

/// Ranges and launches are paired in order of start; a rank whose numbers differ gives no rows. `arguments`: per rank,
/// one per counted range. Fails without ranges, and where the call graph does.
Result<std::vector<CounterRow>> counter_rows(const causal::hta::JobRows& job,
                                             const std::vector<std::vector<RangeArguments>>& arguments);

/// A row per range and counter.
report::Sheet counters_sheet(const std::vector<CounterRow>& rows);

}  // namespace orrery::analyze::hta

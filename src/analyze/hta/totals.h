// Durations added up by name, the small ones as "others".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interner.h"
#include "base/units.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

struct NamedDuration {
  StringId name;
  TimePs duration;
};

struct NameTotal {
  std::string name;
  TimePs sum = 0, max = 0, min = 0;
  double mean_us = 0, std_us = 0;  ///< std is 0 of one row
};

struct TotalsLimit {
  std::size_t top = 0;  ///< more names than this are cut; 0: all are kept
  double duration_ratio = 0.8;
  /// Names that contain one of these are never cut. Given, even with no text in it, it takes the place of the rule
  /// about negative sums.
  std::optional<std::vector<std::string>> keep_containing = {};
};

/// Ascending by name. Beyond `limit.top` names, those behind the top, and those whose running sum exceeds the quantile
/// `duration_ratio` of the running sums, become "others" unless they are kept or their sum is negative; all statistics
/// are then of the names' sums.
std::vector<NameTotal> totals_by_name(const std::vector<NamedDuration>& rows, const Interner& strings,
                                      const TotalsLimit& limit);

/// name, sum_us, max_us, min_us, mean_us, std_us.
void add_total_columns(report::Sheet& sheet);
void add_cells(const NameTotal& total, std::vector<report::Cell>& cells);

// get_gpu_kernel_breakdown, second table: durations by kernel.

/// Ordered by type, name and rank; what is of type OTHER is in no row.
report::Sheet kernel_totals_sheet(const causal::hta::JobRows& job, bool with_memory, const TotalsLimit& limit);

}  // namespace orrery::analyze::hta

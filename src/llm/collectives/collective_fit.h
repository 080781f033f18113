// Lines of a device from measured collectives (machine/device/collective_lines.h has the formula): what `orrery llm
// distil` makes of a table of collectives.
#pragma once

#include <cstddef>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/collectives/collective_rows.h"
#include "machine/device/collective_lines.h"
#include "report/sheet.h"

namespace orrery::llm {

/// A measured row, and what lines say that had seen no row of its size.
struct HeldOutCollective {
  std::size_t row = 0;  ///< its place in what was fitted
  double us = 0;
};

struct CollectiveFit {
  machine::CollectiveLines lines;
  std::vector<HeldOutCollective> held_out = {};  ///< of sizes between others of their law
};

/// Lines and corrections per collective and version, and intervals by leaving out one size after the other. Rows
/// without a time and rows over several nodes teach nothing, and are counted. An Error: nothing is left to learn from.
/// Deterministic, whatever the order of rows.
Result<CollectiveFit> fit_collectives(const std::vector<CollectiveRow>& rows, double link_bytes_per_s,
                                      Diagnostics& diagnostics);

/// "laws": op, library, version, rows, error_pct, held_out_pct: mean errors of rows that were fitted, and of those
/// whose size was left out.
report::Sheet collective_law_sheet(const CollectiveFit& fit, const std::vector<CollectiveRow>& rows,
                                   double link_bytes_per_s);
/// "accuracy": up_to_bytes, rows, low_ratio, high_ratio, unseen_pct.
report::Sheet collective_accuracy_sheet(const machine::CollectiveLines& lines);

}  // namespace orrery::llm

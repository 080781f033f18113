// What was learnt from timings of kernels, as Sheets and as a description.
#pragma once

#include <string>

#include "llm/backtest/calibration.h"
#include "report/sheet.h"

namespace orrery::llm {

/// "constants": constant, before, after, change_pct, with_more_pct, with_less_pct, determined (well, weakly, not).
report::Sheet constant_sheet(const Calibration& calibration);
/// "kinds": kind, rows, and the mean errors before, after, and of kernels that the constants had not seen; the last row
/// is of all.
report::Sheet calibrated_kind_sheet(const Calibration& calibration);
/// "rows": kind, measured_us, before_us, after_us, held_out_us.
report::Sheet calibrated_row_sheet(const Calibration& calibration);

/// A complete description of the device: what was fitted is marked [calibrated], and its head says from which table and
/// from which device.
std::string calibrated_yaml(const Calibration& calibration, const std::string& table, const KernelDevice& base);

}  // namespace orrery::llm

// Prices a table of kernels (kernel_row.h has its columns) as a benchmark on the device would time them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "llm/kernels/kernel_row.h"
#include "llm/steps/standalone_shares.h"
#include "report/sheet.h"

namespace orrery::llm {

struct KernelPrice {
  std::string kind;
  std::optional<double> us =
      {};  ///< none: the kind is not known, or the device has no figures for it, which is counted
  std::optional<double> low_us =
      {};  ///< eight of ten measured kernels of the kind lay between, where the device has such measurements
  std::optional<double> high_us = {};
  std::optional<double> measured_us = {};
  std::string basis = {};  ///< empty: the device's own figures; else the device whose shares were taken, or "rates"
};

KernelPrice price_kernel(const KernelRow& row, const KernelDevice& on, Diagnostics& diagnostics);

/// In the order of the table. An Error about a cell that is no size names line and column.
Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const KernelDevice& on, Diagnostics& diagnostics);

/// "rows": kind, us, low_us, high_us, basis, measured_us, error_pct.
report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices);
/// "kinds": per kind the rows and, where they were measured, mean and median of the error.
report::Sheet kernel_kind_sheet(const std::vector<KernelPrice>& prices);

}  // namespace orrery::llm

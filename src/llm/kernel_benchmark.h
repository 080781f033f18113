// Prices a table of kernels: the columns kind, dtype, m, n, k, batch, heads, seq, dim, hidden, of which each kind needs some.
#pragma once

#include <optional>
#include <vector>

#include "base/csv.h"
#include "base/diagnostics.h"
#include "llm/catalog.h"
#include "report/sheet.h"

namespace orrery::llm {

struct KernelPrice {
  std::string kind;
  std::optional<double> us;  ///< none: the kind is not known, or the device has no figures for it
  std::optional<double> measured_us;
};

/// In the order of the table, as a stand-alone benchmark would time them. An Error about a cell that is no size names line and column.
Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const machine::Device& device, Diagnostics& diagnostics);

/// "rows": kind, us, measured_us, error_pct.
report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices);
/// "kinds": per kind the rows and, where they were measured, mean and median of the error.
report::Sheet kernel_kind_sheet(const std::vector<KernelPrice>& prices);

}  // namespace orrery::llm

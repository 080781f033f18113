// Prices a table of kernels as a benchmark on the device would time them: its rows, the device, the prices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "llm/kernels/kernel_devices.h"
#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"
#include "machine/device/peak_rates.h"
#include "report/sheet.h"

namespace orrery::llm {

struct KernelPrice {
  std::string kind;
  std::string id = {};  ///< as the table has it
  std::optional<double> us =
      {};  ///< none: the kind is not known, or the device has no figures for it, which is counted
  std::optional<double> low_us =
      {};  ///< eight of ten measured kernels of the kind lay between, where the device has such measurements
  std::optional<double> high_us = {};
  std::optional<double> measured_us = {};
  /// Empty: the device's own figures; else the device whose shares were taken, or "rates". Of warm kernels "measured",
  /// or the relative whose tables were taken.
  std::string basis = {};
  std::string_view bound = {};            ///< of warm kernels: compute, memory, latency or launch
  std::optional<double> unseen_pct = {};  ///< of warm kernels: mean error of groups of shapes the table had not seen
};

KernelPrice price_kernel(const KernelRow& row, const KernelDevice& on, Diagnostics& diagnostics);

/// In the order of the table. An Error about a cell that is no size, or names no device, tells line and column; one
/// about a damaged file of tables that file's.
Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, KernelDevices& devices, Diagnostics& diagnostics);
/// The same where every row is of one device.
Result<std::vector<KernelPrice>> price_kernels(const CsvTable& table, const KernelDevice& on, Diagnostics& diagnostics);

/// "rows": id, kind, us, low_us, high_us, basis, bound, measured_us, error_pct.
report::Sheet kernel_sheet(const std::vector<KernelPrice>& prices);
/// "kinds": per kind the rows and, where they were measured, mean and median of the error.
report::Sheet kernel_kind_sheet(const std::vector<KernelPrice>& prices);

}  // namespace orrery::llm

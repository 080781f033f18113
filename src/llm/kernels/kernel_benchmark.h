// Prices a table of kernels as a benchmark on the device would time them: its rows, the device, the prices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"
#include "machine/device/peak_rates.h"
#include "report/sheet.h"

namespace orrery::llm {

/// A device that every kind of kernel can be priced on, if there is anything to take figures over from. One whose
/// kernels nobody timed alone has the same shares of its own bandwidth and peak as a device of which they are known.
struct KernelDevice {
  machine::Device device;
  std::string shares_of =
      {};  ///< whose stand-alone figures were taken over just now; empty: its description has some, or there are none
};

/// Floors, shares of the peak and launches stay; bandwidths go with those of memory and host link. All parts are marked
/// as estimated.
machine::StandaloneKernels scaled_kernels(const machine::Device& from, const machine::Device& to);

/// Its own figures where it has some; else those of its nearest relative in `known` that has any (relative.h).
KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device);

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

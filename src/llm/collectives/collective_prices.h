// Prices a table of collectives: `orrery llm collectives`.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "base/result.h"
#include "llm/catalog.h"
#include "llm/collectives/collective_rows.h"
#include "llm/collectives/device_collectives.h"
#include "machine/device/device.h"
#include "report/sheet.h"

namespace orrery::llm {

/// By row. None: the row lacks ranks or bytes, or nobody measured the operation, which is counted. `usual`: the device
/// of rows that name none. An Error names the line of a device that is not known.
Result<std::vector<std::optional<CollectiveEstimate>>> price_collectives(const CsvTable& table,
                                                                         const std::vector<CollectiveRow>& rows,
                                                                         const Catalog& catalog,
                                                                         const machine::Device& usual,
                                                                         Diagnostics& diagnostics);

/// "rows": id, us, low_us, high_us, protocol, bus_gb_per_s, basis, measured_us, error_pct.
report::Sheet collective_sheet(const std::vector<CollectiveRow>& rows,
                               const std::vector<std::optional<CollectiveEstimate>>& prices);
/// "ops": per collective the rows and, where they were measured, mean and median of the error.
report::Sheet collective_op_sheet(const std::vector<CollectiveRow>& rows,
                                  const std::vector<std::optional<CollectiveEstimate>>& prices);

}  // namespace orrery::llm

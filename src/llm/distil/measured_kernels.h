// Which rows of tables tell about a device, and what was distilled from them as files and as an answer.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "llm/catalog.h"
#include "llm/distil/distil.h"
#include "llm/kernels/kernel_rows.h"
#include "report/sheet.h"

namespace orrery::llm {

/// The warm kernels of `device` among the rows: those that name it or none. What cannot be used is counted.
std::vector<MeasuredKernel> measured_kernels(const Catalog& catalog, const machine::Device& device,
                                             const std::vector<KernelRow>& rows, Diagnostics& diagnostics);

/// A file of tables with a head that says where the rows come from, one line of `origin` after the other.
std::string table_text(const machine::KernelTable& table, const std::string& origin);

/// The text of a device's description that names the folder of tables: `before` with one more line if it has none.
std::string with_tables(std::string before, const std::string& folder);

/// "formats": kind, dtype, kv_dtype, rows, formula_pct, seen_pct, held_out_pct.
report::Sheet distilled_sheet(const std::vector<machine::KernelTable>& tables);

}  // namespace orrery::llm

// The columns `beside`, `beside_blocks` and `beside_gb_per_s` of a table of kernels: what runs beside each.
#pragma once

#include <cstddef>

#include "base/io/csv.h"
#include "base/result.h"
#include "machine/device/interference.h"

namespace orrery::llm {

/// What runs beside the kernel of a row all the while; nothing where the cell is empty or the table has no such column.
/// An Error about a cell names line and column.
Result<machine::Neighbour> neighbour_of(const CsvTable& table, std::size_t row);

}  // namespace orrery::llm

// Kernels that run beside others: the columns `beside`, `beside_blocks` and `beside_gb_per_s` of a table, and what they
// do to the time of a kernel by name.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/io/csv.h"
#include "base/result.h"
#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"
#include "machine/device/interference.h"

namespace orrery::llm {

/// What runs beside the kernel of a row all the while; nothing where the cell is empty or the table has no such column.
/// An Error about a cell names line and column.
Result<machine::Neighbour> neighbour_of(const CsvTable& table, std::size_t row);

/// Time beside the neighbour over time alone, of a kind with all the sizes and the format that it needs; 1 beside
/// nothing.
double neighbour_slowdown(std::string_view kind, const machine::Device& device, const KernelSizes& sizes,
                          const machine::Neighbour& neighbour);

}  // namespace orrery::llm

// What runs beside a kernel by name, and what that does to its time.
#pragma once

#include <string_view>

#include "llm/kernels/kernel_rows.h"
#include "machine/device/device.h"
#include "machine/device/interference.h"

namespace orrery::llm {

/// Time beside the neighbour over time alone, of a kind with all the sizes and the format that it needs; 1 beside
/// nothing.
double neighbour_slowdown(std::string_view kind, const machine::Device& device, const KernelSizes& sizes,
                          const machine::Neighbour& neighbour);

}  // namespace orrery::llm

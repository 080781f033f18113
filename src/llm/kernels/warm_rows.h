// Rows of a table of kernels as the model of warm kernels takes them.
#pragma once

#include <optional>
#include <string_view>

#include "llm/kernels/kernel_rows.h"
#include "machine/warm/warm_kernel.h"

namespace orrery::llm {

/// None: nobody timed that kind warm.
std::optional<machine::WarmKind> warm_kind(std::string_view name);

/// Whether the sizes that the kind needs are there.
bool has_warm_sizes(machine::WarmKind kind, const KernelSizes& sizes);

/// Of sizes that are there, in a format that there is.
machine::WarmKernel warm_kernel(machine::WarmKind kind, const KernelSizes& sizes);

}  // namespace orrery::llm

// The kinds of kernels that can be priced by name, with the sizes that each needs. docs/LLM.md has the same list for people.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "llm/kernels/kernel_kind.h"

namespace orrery::llm {

std::span<const KernelKind> kernel_kinds();
// The families.
std::vector<KernelKind> computed_kinds();
std::vector<KernelKind> elementwise_kinds();

/// Null: there is no such kind.
const KernelKind* find_kernel_kind(std::string_view name);

/// Whether there is a rate for the format of `sizes`.
bool has_format(const KernelKind& kind, const KernelSizes& sizes, const machine::Device& device);
bool has_sizes(const KernelKind& kind, const KernelSizes& sizes);
/// Whether the price stands on kernels of this kind, not only on others that are like it.
bool was_timed(const KernelKind& kind, const machine::Device& device, KernelRun run);

/// Format and sizes must be there, and, of kernels that run alone, device.standalone.
double kernel_seconds(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes);

/// Of an element-wise kernel timed alone: as it was timed, or as what is like it.
machine::StreamingKernel alone_kernel(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes);

}  // namespace orrery::llm

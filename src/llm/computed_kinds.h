// Kernels by name that are more than a stream of bytes: products, attention, softmax, norms, copies, blocks, cells.
#pragma once

#include <vector>

#include "llm/kernel_kind.h"

namespace orrery::llm {

std::vector<KernelKind> computed_kinds();

}  // namespace orrery::llm

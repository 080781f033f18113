// Element-wise kernels by name: how many bytes each moves. Passes are those of a fused kernel that reads every input once and writes every output
// once; where eager PyTorch is known to do more, the kind says so in its name.
#pragma once

#include <vector>

#include "llm/kernel_kind.h"

namespace orrery::llm {

std::vector<KernelKind> elementwise_kinds();

}  // namespace orrery::llm

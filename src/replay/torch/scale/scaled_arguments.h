// Tensors and numbers of calls, and sizes of memory, changed to what they are where a dimension is scaled.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/scale/scaled_memory.h"

namespace orrery::replay::torch {

/// Changes what `sites` point to, and says per TensorUser whether anything of it changed. An Error names the first that
/// cannot be written with the other sizes; some are changed then, others are not.
Result<std::vector<std::uint8_t>> scale_arguments(const trace::HostTrace& host, const Factor& factor,
                                                  const TensorSites& sites, const ScaledMemory& memory,
                                                  const CountedIndices& counted, const ScaleRefusals& refusals);

/// Sizes of tensors are checked; that of the memory around them only bounds them, so that it may be a little larger.
void grow_lifetimes(const ScaledMemory& memory, const Factor& factor, Lifetimes& lifetimes);

}  // namespace orrery::replay::torch

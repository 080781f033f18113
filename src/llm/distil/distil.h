// Distils what was measured on a device: of each kind and number format a few constants (warm_kernel.h), then a table
// of what they leave over, then intervals from rows whose group the table had not seen.
//
// Groups are what rows come in: of products n and k, of attention heads, key heads, width and window, of experts the
// model, of latent attention heads and requests. Folds keep them together: whoever asks for a shape that was not
// measured asks for one of another group.
#pragma once

#include <string>
#include <vector>

#include "llm/kernels/warm_rows.h"
#include "machine/warm/kernel_tables.h"

namespace orrery::llm {

struct MeasuredKernel {
  machine::WarmKernel kernel;
  double us = 0;
  std::string library = {};  ///< whose call was timed; empty: not said
};

/// One format of one kind as one library calls it; every kernel is of all three, and there is at least one. The same
/// result in whatever order they are.
machine::FormatTable distil_format(const machine::Device& device, std::vector<MeasuredKernel> kernels);

/// All that the kernels tell about a device, by kind; each is in a format that the device has a rate for.
std::vector<machine::KernelTable> distil(const machine::Device& device, const std::vector<MeasuredKernel>& kernels);

}  // namespace orrery::llm

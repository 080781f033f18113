// What a device whose kernels nobody timed alone would show in such a benchmark: the same shares of its own bandwidth
// and peak as a device of which they are known.
#pragma once

#include <string>
#include <vector>

#include "machine/device/device.h"

namespace orrery::llm {

/// A device that every kind of kernel can be priced on, if there is anything to take figures over from.
struct KernelDevice {
  machine::Device device;
  std::string shares_of =
      {};  ///< whose stand-alone figures were taken over just now; empty: its description has some, or there are none
};

/// Floors, shares of the peak and launches stay; bandwidths go with those of memory and host link. All parts are marked
/// as estimated.
machine::StandaloneKernels scaled_kernels(const machine::Device& from, const machine::Device& to);

/// Its own figures where it has some; else those of the first device of its generation in `known`, else of the first in
/// `known` that has any.
KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device);

}  // namespace orrery::llm

// How long good kernels take for a call of an operator on a device: the kernel model of machine/device, which was
// fitted to measured kernels, where the roof is what the datasheet promises.
#pragma once

#include "analyze/roofline/priced_works.h"
#include "machine/device/device.h"

namespace orrery::analyze {

/// Of a call with a roof. Products by their shape; everything else by the shares of the peaks that kernels of its sort
/// reach, and never less than the shortest kernel takes.
double achievable_seconds(const machine::Device& device, const PricedCall& call);

}  // namespace orrery::analyze

// What simulations ask of measured collectives: `network: {collectives: measured}`.
#pragma once

#include <vector>

#include "base/result.h"
#include "llm/catalog.h"
#include "machine/device/device.h"
#include "machine/machine.h"
#include "simulate/models/measured_collectives.h"

namespace orrery::job {

/// Of a device, or of its nearest relative among `known`. An Error: nobody has any.
Result<simulate::MeasuredDevice> measured_collectives(const std::vector<machine::Device>& known,
                                                      const machine::Device& device);

/// Of the devices of a machine, which are shipped ones by their name.
Result<simulate::MeasuredDevice> open_measured_collectives(const machine::Machine& machine);

}  // namespace orrery::job

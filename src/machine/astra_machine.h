// ASTRA-sim's description of a machine as one of ours, for the models that are not ASTRA-sim's.
#pragma once

#include "machine/astra_system.h"
#include "machine/machine.h"

namespace orrery::machine {

/// Topologies and latencies are the same; bandwidths count 10^9; the endpoint delay becomes the overhead of a message;
/// peak rate and memory bandwidth those of the device. If one algorithm is configured for the all-reduce of every
/// dimension it is the one for all collectives, otherwise `hierarchical` is.
Machine to_machine(const AstraSystem& system);

}  // namespace orrery::machine

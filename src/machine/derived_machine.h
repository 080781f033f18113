// ASTRA-sim's description of a machine as one of ours, for the models that are not ASTRA-sim's.
#pragma once

#include <cstdint>

#include "machine/astra_system.h"
#include "machine/device/device.h"
#include "machine/machine.h"

namespace orrery::machine {

// A machine that is only known by its device: nodes of devices with a fast network, and ports out of them.

/// Nodes of `node_devices`, connected by a switch at the device's own speed; between nodes a switch per rail,
/// `port_gb_per_s` per device. At least `devices` of them, in whole nodes. Latencies are those of NCCL's cost model for
/// NVLink and InfiniBand (see data/machines/dgx_h100_pod.yaml).
Machine cluster_machine(const Device& device, std::int64_t devices, std::int64_t node_devices, double port_gb_per_s);

/// Topologies and latencies are the same; bandwidths count 10^9; the endpoint delay becomes the overhead of a message;
/// peak rate and memory bandwidth those of the device. If one algorithm is configured for the all-reduce of every
/// dimension it is the one for all collectives, otherwise `hierarchical` is.
Machine to_machine(const AstraSystem& system);

}  // namespace orrery::machine

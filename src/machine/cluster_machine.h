// A machine that is only known by its device: nodes of devices with a fast network, and ports out of them.
#pragma once

#include <cstdint>

#include "machine/device/device.h"
#include "machine/machine.h"

namespace orrery::machine {

/// Nodes of `node_devices`, connected by a switch at the device's own speed; between nodes a switch per rail,
/// `port_gb_per_s` per device. At least `devices` of them, in whole nodes. Latencies are those of NCCL's cost model for
/// NVLink and InfiniBand (see data/machines/dgx_h100_pod.yaml).
Machine cluster_machine(const Device& device, std::int64_t devices, std::int64_t node_devices, double port_gb_per_s);

}  // namespace orrery::machine

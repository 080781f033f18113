#include "machine/cluster_machine.h"

#include <algorithm>

namespace orrery::machine {

Machine cluster_machine(const Device& device, std::int64_t devices, std::int64_t node_devices, double port_gb_per_s) {
  constexpr double kNodeLatencyNs = 300, kRailLatencyNs = 1350, kLaunchUs = 6.6;
  Machine machine;
  machine.name = device.name + " cluster";
  machine.devices.name = device.name;
  machine.devices.matrix_peak_tflops = device.matrix_peak_tflops;
  machine.devices.memory = {device.memory};
  const std::int64_t in_node = std::min(devices, node_devices), nodes = (devices + node_devices - 1) / node_devices;
  machine.devices.count = nodes > 1 ? nodes * node_devices : in_node;
  if (in_node > 1) {
    machine.network.push_back({.name = "scale-up",
                               .topology = Topology::switched,
                               .size = nodes > 1 ? node_devices : in_node,
                               .bandwidth_gb_per_s = device.scale_up_gb_per_s,
                               .latency_ns = kNodeLatencyNs});
  }
  if (nodes > 1) {
    machine.network.push_back({.name = "rails",
                               .topology = in_node > 1 ? Topology::rails : Topology::switched,
                               .size = nodes,
                               .bandwidth_gb_per_s = port_gb_per_s,
                               .latency_ns = kRailLatencyNs});
  }
  machine.communication.launch_overhead_us = kLaunchUs;
  return machine;
}

}  // namespace orrery::machine

#include "machine/derived_machine.h"

#include <fmt/format.h>

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

namespace {

Topology topology_of(AstraTopology topology) {
  switch (topology) {
    case AstraTopology::ring: return Topology::ring;
    case AstraTopology::fully_connected: return Topology::fully_connected;
    case AstraTopology::switched: break;
  }
  return Topology::switched;
}

CollectiveAlgorithm algorithm_of(const std::vector<AstraImplementation>& list, std::size_t dimensions) {
  const bool flat = !list.empty() && list[0].flat;
  // One algorithm per dimension, one dimension after the other, is what is called hierarchical here, whichever each of
  // them is.
  if (list.empty() || (dimensions > 1 && !flat)) return CollectiveAlgorithm::hierarchical;
  switch (list[0].algorithm) {
    case AstraAlgorithm::ring: return CollectiveAlgorithm::ring;
    case AstraAlgorithm::direct: return CollectiveAlgorithm::direct;
    case AstraAlgorithm::halving_doubling: return CollectiveAlgorithm::halving_doubling;
    case AstraAlgorithm::double_binary_tree: break;
  }
  return CollectiveAlgorithm::double_binary_tree;
}

}  // namespace

Machine to_machine(const AstraSystem& system) {
  Machine machine;
  machine.name = "ASTRA-sim system";
  machine.devices.count = static_cast<std::int64_t>(system.npus());
  machine.devices.name = "NPU";
  // It does not say in which format; bf16 is what training computes in.
  if (system.peak_tflops > 0) machine.devices.matrix_peak_tflops[DataType::bf16] = system.peak_tflops;
  // It does not say how large either, and a description must: nothing here asks.
  if (system.local_memory_gb_per_s > 0)
    machine.devices.memory.push_back({"local memory", 1, system.local_memory_gb_per_s});
  for (std::size_t d = 0; d < system.dimensions.size(); ++d) {
    const AstraDimension& described = system.dimensions[d];
    Dimension dimension;
    dimension.name = fmt::format("dimension {}", d);
    dimension.topology = topology_of(described.topology);
    dimension.size = described.npus;
    dimension.bandwidth_gb_per_s = described.bytes_per_ns();
    dimension.latency_ns = described.latency_ns;
    machine.network.push_back(std::move(dimension));
  }
  const auto& all_reduce = system.implementations[static_cast<std::size_t>(AstraCollective::all_reduce)];
  machine.communication.collective_algorithm = algorithm_of(all_reduce, system.dimensions.size());
  machine.communication.message_overhead_us = static_cast<double>(system.endpoint_delay_ns) / 1000;
  return machine;
}

}  // namespace orrery::machine

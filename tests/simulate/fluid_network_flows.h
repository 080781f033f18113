// Messages on a machine's network, timed by the fluid model: the latencies of the route, then the fluid. For
// comparisons with SimGrid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fluid_reference.h"
#include "machine/topology/network.h"
#include "machine/yaml/machine_yaml.h"

namespace orrery::simulate::testing {

struct Message {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  double bytes = 0;
};

/// One dimension of links of 1 GB/s; `topology` as in a machine file: "topology: torus, shape: [4, 4, 4]".
inline Result<machine::Network> network_of(std::uint32_t devices, double latency_ns, const std::string& topology) {
  const auto machine = machine::parse_machine(
      "format: orrery.machine/1\nname: m\ndevices: {count: " + std::to_string(devices) +
          ", name: d}\nnetwork: [{name: n, bandwidth_gb_per_s: 1, latency_ns: " + std::to_string(latency_ns) + ", " +
          topology + "}]\n",
      topology);
  if (!machine.ok()) return machine.error();
  return machine::Network::build(*machine);
}

inline std::vector<TimePs> message_finishes(const machine::Network& network, const std::vector<Message>& messages) {
  std::vector<double> capacities;
  for (const machine::Link& link : network.links()) capacities.push_back(link.bytes_per_second);
  std::vector<ReferenceFlow> flows;
  std::vector<machine::LinkId> route;
  for (const Message& message : messages) {
    route.clear();
    network.append_route(message.source, message.target, 0, route);
    ReferenceFlow flow{.bytes = message.bytes};
    for (const machine::LinkId link : route) {
      flow.shares.push_back({link, 1});
      flow.start_ps += network.links()[link].latency_ps;
    }
    flows.push_back(std::move(flow));
  }
  FluidNetwork fluid(capacities);
  return fluid_finishes(fluid, flows);
}

}  // namespace orrery::simulate::testing

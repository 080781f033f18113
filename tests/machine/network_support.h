// Short ways to make machines and to look at their routes, for the tests of networks.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "machine/machine.h"
#include "machine/topology/network.h"

namespace orrery::machine {

inline Machine machine_of(std::vector<Dimension> network) {
  Machine machine{.name = "m", .devices = {.name = "chip"}, .network = std::move(network)};
  for (const Dimension& dimension : machine.network) machine.devices.count *= dimension.size;
  return machine;
}

/// One dimension with 1 GB/s and 100 ns; `set` fills in the rest.
Dimension dimension_of(Topology topology, std::int64_t size, auto&& set) {
  Dimension dimension{.name = "net", .topology = topology, .size = size, .bandwidth_gb_per_s = 1, .latency_ns = 100};
  set(dimension);
  if (const auto implied = implied_size(dimension)) dimension.size = static_cast<std::int64_t>(*implied);
  return dimension;
}
inline Dimension dimension_of(Topology topology, std::int64_t size) {
  return dimension_of(topology, size, [](Dimension&) {});
}
inline Dimension torus_of(std::vector<std::int64_t> shape) {
  return dimension_of(Topology::torus, 0, [&](Dimension& d) { d.shape = std::move(shape); });
}

inline Network built(const Machine& machine) {
  auto network = Network::build(machine);
  REQUIRE_MESSAGE(network.ok(), network.error().to_string());
  return *network;
}
inline Network built(Dimension dimension) { return built(machine_of({std::move(dimension)})); }

inline std::vector<std::string> route_names(const Network& network, std::uint32_t source, std::uint32_t target,
                                            std::uint64_t flow = 0) {
  std::vector<LinkId> route;
  network.append_route(source, target, flow, route);
  std::vector<std::string> names;
  for (const LinkId link : route) names.push_back(network.link_name(link));
  return names;
}
using Names = std::vector<std::string>;

}  // namespace orrery::machine

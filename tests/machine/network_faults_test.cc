#include <doctest/doctest.h>

#include "network_support.h"

using namespace orrery::machine;

namespace {

Machine leaf_spine_machine() {
  return machine_of(
      {dimension_of(Topology::leaf_spine, 8, [](Dimension& d) { d.leaf_spine = {.leaf_size = 4, .spine_count = 2}; })});
}

std::string error_with(Machine machine, const Fault& fault) {
  machine.faults = {fault};
  const auto network = Network::build(machine);
  return network.ok() ? "ok" : network.error().to_string();
}

}  // namespace

TEST_CASE("a derated link carries less, in both directions or in one") {
  Machine machine = machine_of({dimension_of(Topology::ring, 3)});
  machine.faults = {{.from = "device1", .to = "device2", .derate = 0.25},
                    {.from = "device0", .to = "device1", .derate = 0.5, .direction = Direction::forward}};
  const Network network = built(machine);
  for (LinkId id = 0; id < network.links().size(); ++id) {
    const std::string name = network.link_name(id);
    const double expected = name == "device1 -> device2" || name == "device2 -> device1" ? 0.25
                            : name == "device0 -> device1"                               ? 0.5
                                                                                         : 1;
    CHECK_MESSAGE(network.links()[id].bytes_per_second == expected * 1e9, name);
  }
}

TEST_CASE("one of several parallel cables can be meant") {
  Machine machine = machine_of({dimension_of(Topology::fat_tree, 0, [](Dimension& d) {
    d.levels = {{.children = 4}, {.children = 2, .cables = 2}};
  })});
  machine.faults = {{.from = "net.level1.0", .to = "net.level2.0", .cable = 1}};
  const Network network = built(machine);
  int down = 0;
  for (LinkId id = 0; id < network.links().size(); ++id) {
    if (network.links()[id].bytes_per_second > 0) continue;
    ++down;
    CHECK(network.link_name(id).ends_with("(cable 1)"));
  }
  CHECK(down == 2);
  for (std::uint32_t target = 4; target < 8; ++target)
    CHECK(route_names(network, 0, target)[1] == "net.level1.0 -> net.level2.0");
}

TEST_CASE("routes go around a link that is down") {
  Machine machine = leaf_spine_machine();
  machine.faults = {{.from = "net.spine1", .to = "net.leaf1"}};
  const Network network = built(machine);
  CHECK(route_names(network, 0, 5)[1] == "net.leaf0 -> net.spine0");
  CHECK(route_names(network, 5, 1)[1] == "net.leaf1 -> net.spine0");

  Machine ring = machine_of({dimension_of(Topology::ring, 4)});
  ring.faults = {{.from = "device0", .to = "device1", .direction = Direction::forward}};
  CHECK(route_names(built(ring), 0, 1) == Names{"device0 -> device3", "device3 -> device2", "device2 -> device1"});
  CHECK(route_names(built(ring), 1, 0) == Names{"device1 -> device0"});
}

TEST_CASE("a NIC that is down is bypassed over a neighbour's") {
  Machine pod = machine_of({dimension_of(Topology::switched, 2), dimension_of(Topology::rails, 2)});
  pod.faults = {{.from = "device0", .to = "net#1[0].switch"}};
  CHECK(route_names(built(pod), 0, 2).size() == 6);
}

TEST_CASE("a network that falls apart names two devices without a way") {
  CHECK(error_with(leaf_spine_machine(), {.from = "device3", .to = "net.leaf0"}) ==
        "the faults cut the network: there is no way from device0 to device3");
  CHECK(error_with(leaf_spine_machine(), {.from = "device3", .to = "net.leaf0", .direction = Direction::forward}) ==
        "the faults cut the network: there is no way from device3 to device0");
}

TEST_CASE("dimension-ordered routes are not changed") {
  Machine machine = machine_of({dimension_of(Topology::ring, 4)});
  machine.routing = Routing::dimension_ordered;
  CHECK(error_with(machine, {.from = "device0", .to = "device1", .derate = 0.5}) == "ok");
  CHECK(error_with(machine, {.from = "device0", .to = "device1"}) ==
        "faults[0] takes the link between device0 and device1 down, and dimension-ordered routes do not go around it "
        "(routing: shortest "
        "does)");
}

TEST_CASE("faults that mean nothing are named") {
  CHECK(error_with(leaf_spine_machine(), {.from = "device3", .to = "net.laef0"}) ==
        "faults[0] names 'net.laef0', which is no device or switch of the network (did you mean 'net.leaf0'?)");
  CHECK(error_with(leaf_spine_machine(), {.from = "device8", .to = "net.leaf0"}) ==
        "faults[0] names 'device8', which is no device or switch of the network (devices are device0 to device7, "
        "switches are called like "
        "'net.leaf0')");
  CHECK(error_with(leaf_spine_machine(), {.from = "device3", .to = "device4"}) ==
        "faults[0] means a link between device3 and device4, but there is none (only neighbours share a link; parallel "
        "ones count from 0)");
  CHECK(error_with(leaf_spine_machine(), {.from = "device3", .to = "net.leaf0", .cable = 1})
            .find("a link with number 1") != std::string::npos);
}

#include "machine/topology/network.h"

#include <doctest/doctest.h>

#include <ctime>
#include <map>

#include "network_support.h"

using namespace orrery::machine;

TEST_CASE("link counts") {
  CHECK(built(dimension_of(Topology::ring, 2)).links().size() == 2);
  CHECK(built(dimension_of(Topology::ring, 5)).links().size() == 10);
  CHECK(built(dimension_of(Topology::fully_connected, 5)).links().size() == 20);
  CHECK(built(dimension_of(Topology::switched, 5)).links().size() == 10);
  CHECK(built(torus_of({4, 4, 4})).links().size() == 6 * 64);
  CHECK(built(torus_of({2, 3})).links().size() == 2 * 3 + 2 * 6);
  CHECK(built(dimension_of(Topology::mesh, 0,
                           [](Dimension& d) {
                             d.shape = {3, 4};
                           }))
            .links()
            .size() == 2 * (2 * 4 + 3 * 3));
  const auto tree = dimension_of(Topology::fat_tree, 0, [](Dimension& d) {
    d.levels = {{.children = 8}, {.children = 8, .parents = 4, .cables = 2}};
  });
  CHECK(built(tree).links().size() == 2 * 64 + 2 * 8 * 8);
  CHECK(built(tree).vertex_count() == 64 + 8 + 4);
  const auto dragonfly = dimension_of(Topology::dragonfly, 0, [](Dimension& d) {
    d.dragonfly = {.groups = 3, .chassis_per_group = 3, .routers_per_chassis = 4, .devices_per_router = 2};
  });
  CHECK(built(dragonfly).links().size() == 2 * 72 + 36 * 3 + 36 * 2 + 3 * 2);
  CHECK(built(machine_of({dimension_of(Topology::switched, 8), dimension_of(Topology::ring, 4)})).links().size() ==
        4 * 16 + 8 * 8);
}

TEST_CASE("ring: the shorter way, and upwards if both are equally long") {
  const Network ring = built(dimension_of(Topology::ring, 4));
  CHECK(route_names(ring, 0, 1) == Names{"device0 -> device1"});
  CHECK(route_names(ring, 0, 3) == Names{"device0 -> device3"});
  CHECK(route_names(ring, 0, 2) == Names{"device0 -> device1", "device1 -> device2"});
  CHECK(route_names(ring, 2, 0) == Names{"device2 -> device3", "device3 -> device0"});
  CHECK(route_names(ring, 2, 2).empty());
  const Network pair = built(dimension_of(Topology::ring, 2));
  CHECK(route_names(pair, 0, 1) == Names{"device0 -> device1"});
  CHECK(route_names(pair, 1, 0) == Names{"device1 -> device0"});
}

TEST_CASE("mesh and torus: along the first axis first") {
  const Network torus = built(torus_of({4, 3}));
  CHECK(route_names(torus, 0, 7) == Names{"device0 -> device3", "device3 -> device7"});
  CHECK(route_names(torus, 1, 10) == Names{"device1 -> device2", "device2 -> device10"});
  CHECK(route_names(torus, 2, 0) == Names{"device2 -> device1", "device1 -> device0"});  // SimGrid's tie
  const Network mesh = built(dimension_of(Topology::mesh, 0, [](Dimension& d) { d.shape = {4, 3}; }));
  CHECK(route_names(mesh, 0, 3) == Names{"device0 -> device1", "device1 -> device2", "device2 -> device3"});
}

TEST_CASE("dimensions are travelled innermost first: between rails a message changes GPUs before it leaves its node") {
  Dimension nvlink = dimension_of(Topology::switched, 4);
  nvlink.name = "NVLink";
  Dimension rails = dimension_of(Topology::rails, 2);
  rails.name = "rails";
  const Network pod = built(machine_of({nvlink, rails}));
  CHECK(route_names(pod, 0, 7) == Names{"device0 -> NVLink[0].switch", "NVLink[0].switch -> device3",
                                        "device3 -> rails[3].switch", "rails[3].switch -> device7"});
  CHECK(pod.outermost_dimension(0, 3) == 0);
  CHECK(pod.outermost_dimension(0, 4) == 1);
  CHECK(pod.outermost_dimension(3, 4) == 1);

  rails.rails = {.cross_rail = CrossRail::spine, .spine_count = 2, .oversubscription = 4};
  const Network spined = built(machine_of({nvlink, rails}));
  CHECK(route_names(spined, 0, 4) == Names{"device0 -> rails.leaf0", "rails.leaf0 -> device4"});
  CHECK(route_names(spined, 0, 7) == Names{"device0 -> rails.leaf0", "rails.leaf0 -> rails.spine1",
                                           "rails.spine1 -> rails.leaf3", "rails.leaf3 -> device7"});
  CHECK(route_names(spined, 0, 3) == Names{"device0 -> NVLink[0].switch", "NVLink[0].switch -> device3"});
  std::vector<LinkId> route;
  spined.append_route(0, 7, 0, route);
  CHECK(spined.links()[route[1]].bytes_per_second == 1e9 * 2 / (2 * 4));
}

TEST_CASE("leaf-spine: oversubscription sets the bandwidth of the cables to the spines") {
  const Network network = built(dimension_of(Topology::leaf_spine, 16, [](Dimension& d) {
    d.leaf_spine = {.leaf_size = 8, .spine_count = 2, .oversubscription = 2};
    d.derate = 0.5;
  }));
  CHECK(route_names(network, 0, 9) ==
        Names{"device0 -> net.leaf0", "net.leaf0 -> net.spine1", "net.spine1 -> net.leaf1", "net.leaf1 -> device9"});
  double to_spines = 0;
  for (const Link& link : network.links()) {
    if (link.from == 16) to_spines += link.to >= 18 ? link.bytes_per_second : 0;
  }
  CHECK(to_spines == 8 * 1e9 * 0.5 / 2);
}

TEST_CASE("explicit links: fewest links, then lowest numbers") {
  const Network network = built(dimension_of(Topology::links, 3, [](Dimension& d) {
    d.links = {{.from = "device0", .to = "left"},
               {.from = "device0", .to = "right", .bandwidth_gb_per_s = 4, .latency_ns = 7},
               {.from = "left", .to = "device1"},
               {.from = "right", .to = "device1"},
               {.from = "device1", .to = "device2", .direction = Direction::forward},
               {.from = "device2", .to = "device0", .direction = Direction::forward}};
  }));
  CHECK(network.links().size() == 10);
  CHECK(route_names(network, 0, 1) == Names{"device0 -> net.left", "net.left -> device1"});
  CHECK(route_names(network, 2, 0) == Names{"device2 -> device0"});
  CHECK(route_names(network, 0, 2).size() == 3);
  CHECK(network.links()[2].bytes_per_second == 4e9);
  CHECK(network.links()[2].latency_ps == 7'000);
}

TEST_CASE("ECMP spreads flows evenly, and each flow keeps its way") {
  Machine machine = machine_of(
      {dimension_of(Topology::leaf_spine, 8, [](Dimension& d) { d.leaf_spine = {.leaf_size = 4, .spine_count = 4}; })});
  machine.routing = Routing::ecmp;
  const Network network = built(machine);
  std::map<std::string, int> uses;
  for (std::uint64_t flow = 0; flow < 4000; ++flow) {
    ++uses[route_names(network, 0, 5, flow)[1]];
    CHECK(route_names(network, 0, 5, flow) == route_names(network, 0, 5, flow));
  }
  REQUIRE(uses.size() == 4);
  for (const auto& [name, count] : uses) CHECK(std::abs(count - 1000) < 120);
  // The documented hash: another implementation must come to the same ways.
  const std::string spines = "131003";
  for (std::uint64_t flow = 0; flow < spines.size(); ++flow)
    CHECK(route_names(network, 0, 5, flow)[1].back() == spines[flow]);
}

TEST_CASE("adaptive routing takes the least loaded way, and the lowest of equals") {
  const Network network = built(
      dimension_of(Topology::leaf_spine, 8, [](Dimension& d) { d.leaf_spine = {.leaf_size = 4, .spine_count = 4}; }));
  std::vector<double> loads(network.links().size());
  const auto spine = [&] {
    std::vector<LinkId> route;
    network.append_adaptive_route(
        0, 5, [&](LinkId link) { return loads[link]; }, route);
    return network.vertex_name(network.links()[route[1]].to);
  };
  const auto load_link = [&](const std::string& name, double load) {
    for (LinkId id = 0; id < loads.size(); ++id) {
      if (network.link_name(id) == name) loads[id] = load;
    }
  };
  CHECK(spine() == "net.spine0");
  load_link("net.leaf0 -> net.spine0", 3);
  CHECK(spine() == "net.spine1");
  load_link("net.spine1 -> net.leaf1", 1);
  CHECK(spine() == "net.spine2");
  load_link("device0 -> net.leaf0", 9);  // on every way: the rest still decides
  CHECK(spine() == "net.spine2");
  load_link("net.leaf0 -> net.spine2", 2);
  load_link("net.leaf0 -> net.spine3", 2);
  CHECK(spine() == "net.spine1");
}

TEST_CASE("16,384 devices are laid out link by link, not pair by pair") {
  // Time of this process alone: whoever else uses the machine has no part in it. All pairs would take minutes.
  const auto seconds_for = [](const Dimension& dimension) {
    const std::clock_t begin = std::clock();
    CHECK(built(dimension).device_count() == 16'384);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  CHECK(seconds_for(torus_of({32, 32, 16})) < 20);
  CHECK(seconds_for(dimension_of(Topology::fat_tree, 0, [](Dimension& d) {
          d.levels = {{.children = 32}, {.children = 32, .parents = 32}, {.children = 16, .parents = 32}};
        })) < 20);
}

TEST_CASE("networks too large to lay out are refused at once") {
  const auto error_of = [](const Dimension& dimension) {
    const auto network = Network::build(machine_of({dimension}));
    return network.ok() ? "ok" : network.error().message;
  };
  CHECK(error_of(dimension_of(Topology::fully_connected, 1 << 20)) ==
        "the network of 'm' has 1099510579200 links, more than the 8388608 that are supported");
  CHECK(error_of(dimension_of(Topology::fat_tree, 0, [](Dimension& d) {
          d.levels = {{.children = 1 << 12, .parents = 1 << 20, .cables = 1 << 4}};
        })).find("links, more than") != std::string::npos);
  CHECK(error_of(dimension_of(Topology::fat_tree, 0, [](Dimension& d) {
          d.levels = {{.children = 2, .parents = 1 << 20, .cables = 1 << 20}};
        })).find("paths between two devices, more than 4294967296") != std::string::npos);
  CHECK(error_of(dimension_of(Topology::leaf_spine, 1 << 20, [](Dimension& d) {
          d.leaf_spine = {.leaf_size = 1, .spine_count = 1 << 20};
        })).find("links, more than") != std::string::npos);
}

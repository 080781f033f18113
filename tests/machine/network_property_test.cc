#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <set>

#include "machine/yaml/machine_yaml.h"
#include "network_support.h"

using namespace orrery::machine;

namespace {
/// Distances from one device to all vertices over links that are up, found here by other means than the code under
/// test.
std::vector<std::size_t> hop_counts(const Network& network, VertexId from) {
  std::vector<std::vector<VertexId>> next(network.vertex_count());
  for (const Link& link : network.links()) {
    if (link.bytes_per_second > 0) next[link.from].push_back(link.to);
  }
  std::vector<std::size_t> hops(network.vertex_count(), ~std::size_t{0});
  std::deque<VertexId> queue = {from};
  hops[from] = 0;
  for (; !queue.empty(); queue.pop_front()) {
    for (const VertexId vertex : next[queue.front()]) {
      if (hops[vertex] != ~std::size_t{0}) continue;
      hops[vertex] = hops[queue.front()] + 1;
      queue.push_back(vertex);
    }
  }
  return hops;
}

/// What every route must be; empty if it is.
std::string route_defect(const Network& network, std::uint32_t source, std::uint32_t target,
                         const std::vector<LinkId>& route) {
  VertexId at = source;
  std::set<LinkId> seen;
  for (const LinkId id : route) {
    if (id >= network.links().size()) return "a link that does not exist";
    if (network.links()[id].from != at) return "a link that begins elsewhere";
    if (network.links()[id].bytes_per_second <= 0) return "a link that is down";
    if (!seen.insert(id).second) return "a link twice";
    at = network.links()[id].to;
  }
  return at == target ? "" : "ends elsewhere";
}

template <typename T = std::int64_t>
T between(T low, T high) {
  return *rc::gen::inRange<T>(low, high + 1);
}

Dimension random_dimension() {
  const auto topology = static_cast<Topology>(between(0, 9));
  Dimension dimension = dimension_of(topology, between(2, 7), [](Dimension& d) {
    switch (d.topology) {
      case Topology::mesh:
      case Topology::torus: d.shape = {between(2, 4), between(1, 4), between(1, 3)}; break;
      case Topology::fat_tree:
        d.levels = {{.children = between(2, 3), .parents = between(1, 2), .cables = between(1, 2)},
                    {.children = between(1, 3), .parents = between(1, 3), .cables = between(1, 2)},
                    {.children = between(1, 2), .parents = between(1, 2), .bandwidth_gb_per_s = 7}};
        break;
      case Topology::leaf_spine:
        d.leaf_spine = {.leaf_size = between(1, 3), .spine_count = between(1, 3), .oversubscription = 2};
        d.size = d.leaf_spine.leaf_size * between(2, 4);
        break;
      case Topology::dragonfly:
        d.dragonfly = {.groups = between(1, 3),
                       .chassis_per_group = between(1, 3),
                       .routers_per_chassis = 3,
                       .devices_per_router = between(1, 2)};
        break;
      case Topology::rails: d.rails = {.cross_rail = static_cast<CrossRail>(between(0, 1))}; break;
      case Topology::links:
        for (std::int64_t i = 0; i + 1 < d.size; ++i) {
          const std::string hub = "hub" + std::to_string(between(0, 1));
          d.links.push_back({.from = "device" + std::to_string(i), .to = hub});
          d.links.push_back({.from = hub, .to = "device" + std::to_string(i + 1)});
        }
        break;
      case Topology::ring:
      case Topology::fully_connected:
      case Topology::switched: break;
    }
  });
  if (topology == Topology::rails && dimension.rails.cross_rail == CrossRail::spine)
    dimension.rails.spine_count = between(1, 3);
  return dimension;
}

Machine random_fabric() {
  std::vector<Dimension> network;
  for (auto count = between(1, 3); count > 0; --count) network.push_back(random_dimension());
  Machine machine = machine_of(std::move(network));
  machine.routing = static_cast<Routing>(between(0, 3));
  return machine;
}

/// Routes between all pairs of a small machine, or between some of a larger one.
void for_some_pairs(const Network& network, auto&& visit) {
  for (int i = 0; i < 30; ++i) {
    const auto source = between<std::uint32_t>(0, network.device_count() - 1);
    const auto target = between<std::uint32_t>(0, network.device_count() - 1);
    visit(source, target);
  }
}

/// Where routes are promised to be shortest in the whole network: everywhere but in dragonflies, which change groups
/// only once, and over spines of rails, which do not use the dimensions further in.
bool promises_shortest(const Machine& machine) {
  return std::none_of(machine.network.begin(), machine.network.end(), [](const Dimension& d) {
    return d.topology == Topology::dragonfly ||
           (d.topology == Topology::rails && d.rails.cross_rail == CrossRail::spine);
  });
}

}  // namespace

TEST_CASE("property: a route is a path from source to target, and as short as promised") {
  CHECK(rc::check("any machine, any routing", [] {
    const Machine machine = random_fabric();
    const auto network = Network::build(machine);
    if (!network.ok()) RC_FAIL(network.error().to_string());
    for_some_pairs(*network, [&](std::uint32_t source, std::uint32_t target) {
      std::vector<LinkId> route = {7};
      network->append_route(source, target, between<std::uint64_t>(0, 9), route);
      RC_ASSERT(route.front() == 7);
      route.erase(route.begin());
      RC_ASSERT(route_defect(*network, source, target, route) == "");
      RC_ASSERT(route.empty() == (source == target));
      if (promises_shortest(machine)) RC_ASSERT(route.size() == hop_counts(*network, source)[target]);
    });
  }));
}

TEST_CASE("property: an adaptive route is a path, as long as the usual one, and avoids load where it can") {
  CHECK(rc::check("any machine, any load", [] {
    const Machine machine = random_fabric();
    const auto network = Network::build(machine);
    if (!network.ok()) RC_FAIL(network.error().to_string());
    const auto salt = between<LinkId>(0, 1000);
    const LinkLoad load = [&](LinkId link) { return static_cast<double>((link + salt) * 7919 % 13); };
    const auto worst = [&](const std::vector<LinkId>& route) {
      double most = 0;
      for (const LinkId link : route) most = std::max(most, load(link));
      return most;
    };
    for_some_pairs(*network, [&](std::uint32_t source, std::uint32_t target) {
      std::vector<LinkId> usual;
      std::vector<LinkId> chosen;
      network->append_route(source, target, 0, usual);
      network->append_adaptive_route(source, target, load, chosen);
      RC_ASSERT(route_defect(*network, source, target, chosen) == "");
      RC_ASSERT(chosen.size() == usual.size());
      RC_ASSERT(worst(chosen) <= worst(usual));
    });
  }));
}

TEST_CASE("property: every link has a way back, a name of its own, and the dimension's bandwidth") {
  CHECK(rc::check("any machine", [] {
    const Machine machine = random_fabric();
    const auto network = Network::build(machine);
    if (!network.ok()) RC_FAIL(network.error().to_string());
    std::multiset<std::pair<VertexId, VertexId>> ends;
    std::set<std::string> names;
    for (LinkId id = 0; id < network->links().size(); ++id) {
      const Link& link = network->links()[id];
      RC_ASSERT(link.from != link.to && link.from < network->vertex_count() && link.to < network->vertex_count());
      RC_ASSERT(link.bytes_per_second > 0);
      RC_ASSERT(link.latency_ps == 100'000);
      ends.emplace(link.from, link.to);
      names.insert(network->link_name(id));
    }
    for (const auto& [from, to] : ends) RC_ASSERT(ends.count({from, to}) == ends.count({to, from}));
    RC_ASSERT(names.size() == network->links().size());
    double expected = 0;
    double inner = 1;
    for (const Dimension& d : machine.network) {
      const bool spans = d.topology == Topology::rails && d.rails.cross_rail == CrossRail::spine;
      const double places = static_cast<double>(d.size) * (spans ? inner : 1);
      expected += links_per_instance(d, inner) * static_cast<double>(machine.devices.count) / places;
      inner *= static_cast<double>(d.size);
    }
    RC_ASSERT(static_cast<double>(network->links().size()) == expected);
  }));
}

TEST_CASE("property: with links down, routes go around them, or the two devices that are cut off are named") {
  CHECK(rc::check("any machine, any links down", [] {
    Machine machine = random_fabric();
    if (machine.routing == Routing::dimension_ordered) machine.routing = Routing::shortest;
    const auto whole = Network::build(machine);
    if (!whole.ok()) RC_FAIL(whole.error().to_string());
    for (auto count = between(1, 4); count > 0; --count) {
      const Link& link = whole->links()[between<std::size_t>(0, whole->links().size() - 1)];
      machine.faults.push_back({.from = whole->vertex_name(link.from), .to = whole->vertex_name(link.to)});
    }
    const auto damaged = Network::build(machine);
    if (!damaged.ok()) {
      RC_ASSERT(damaged.error().message.starts_with("the faults cut the network: there is no way from device"));
      return;
    }
    for_some_pairs(*damaged, [&](std::uint32_t source, std::uint32_t target) {
      std::vector<LinkId> route;
      damaged->append_route(source, target, 3, route);
      RC_ASSERT(route_defect(*damaged, source, target, route) == "");
      std::vector<LinkId> adaptive;
      damaged->append_adaptive_route(
          source, target, [](LinkId) { return 0.0; }, adaptive);
      RC_ASSERT(route_defect(*damaged, source, target, adaptive) == "");
    });
  }));
}

TEST_CASE("property: writing and reading back changes nothing, whatever the topology") {
  CHECK(rc::check("any machine", [] {
    Machine machine = random_fabric();
    if (*rc::gen::arbitrary<bool>())
      machine.faults.push_back({.from = "a", .to = "b", .derate = 0.25, .direction = Direction::forward, .cable = 1});
    if (*rc::gen::arbitrary<bool>()) machine.communication.loggops = LogGops{};
    if (*rc::gen::arbitrary<bool>())
      machine.communication.collective_algorithm = static_cast<CollectiveAlgorithm>(between(0, 6));
    if (*rc::gen::arbitrary<bool>()) machine.network.front().derate = 0.8;
    const auto again = parse_machine(to_yaml(machine), "again");
    if (!again.ok()) RC_FAIL(again.error().to_string() + to_yaml(machine));
    RC_ASSERT(*again == machine);
  }));
}

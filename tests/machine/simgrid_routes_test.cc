#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "machine/yaml/machine_yaml.h"
#include "network_support.h"

using namespace orrery::machine;

namespace {

/// Our links and SimGrid's, as far as routes have shown which is which.
class Correspondence {
 public:
  /// False if either has stood for another one before.
  bool agree(LinkId ours, int theirs) {
    return theirs_.try_emplace(ours, theirs).first->second == theirs &&
           ours_.try_emplace(theirs, ours).first->second == ours;
  }

 private:
  std::map<LinkId, int> theirs_;
  std::map<int, LinkId> ours_;
};

Network network_of(const std::string& device_count, const std::string& dimension) {
  const auto machine = parse_machine("format: orrery.machine/1\nname: m\ndevices: {count: " + device_count +
                                         ", name: d}\nnetwork: [{name: n, bandwidth_gb_per_s: 1, " + dimension + "}]\n",
                                     "simgrid_routes.txt");
  REQUIRE_MESSAGE(machine.ok(), machine.error().to_string());
  return built(*machine);
}

}  // namespace

TEST_CASE("torus, fat tree and dragonfly take SimGrid's routes") {
  std::ifstream file(ORRERY_SOURCE_DIR "/tests/machine/simgrid_routes.txt");
  REQUIRE(file.good());
  std::optional<Network> network;
  Correspondence links;
  int networks = 0;
  int routes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    if (line.starts_with("network")) {
      std::string keyword, device_count, dimension;
      words >> keyword >> device_count;
      std::getline(words, dimension);
      network = network_of(device_count, dimension);
      links = {};
      ++networks;
      continue;
    }
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    words >> source >> target;
    std::vector<LinkId> route;
    network.value().append_route(source, target, 0, route);
    std::size_t length = 0;
    for (int theirs = 0; words >> theirs; ++length) {
      REQUIRE_MESSAGE(length < route.size(), line);
      CHECK_MESSAGE(links.agree(route[length], theirs), line);
    }
    CHECK_MESSAGE(length == route.size(), line);
    ++routes;
  }
  CHECK(networks == 6);
  CHECK(routes > 1500);
}

TEST_CASE(
    "without the compatibility a dragonfly's routes differ from SimGrid's only within a group, where SimGrid's leave "
    "out links") {
  const std::string shape =
      "topology: dragonfly, groups: 3, chassis_per_group: 3, routers_per_chassis: 4, devices_per_router: 2";
  const Network ours = network_of("72", shape);
  const Network theirs = network_of("72", shape + ", compat: simgrid");
  int different = 0;
  for (std::uint32_t source = 0; source < 72; ++source) {
    for (std::uint32_t target = 0; target < 72; ++target) {
      if (route_names(ours, source, target) == route_names(theirs, source, target)) continue;
      ++different;
      CHECK(source / 24 == target / 24);        // the same group
      CHECK(source / 2 % 4 != target / 2 % 4);  // another place in the chassis
      CHECK(source / 8 % 3 != 0);               // and not from the first chassis
    }
  }
  CHECK(different == 864);
}

// Feeds arbitrary bytes to the reader of machine descriptions. A machine that is accepted has no violation and comes
// back from its own text; its network is laid out or refused, and its routes lead from source to target.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "machine/topology/network.h"
#include "machine/yaml/machine_rules.h"
#include "machine/yaml/machine_yaml.h"

namespace {

using orrery::machine::LinkId;
using orrery::machine::Network;

bool is_path(const Network& network, std::uint32_t source, std::uint32_t target) {
  std::vector<LinkId> route;
  network.append_route(source, target, 1, route);
  std::uint32_t at = source;
  for (const LinkId id : route) {
    if (id >= network.links().size() || network.links()[id].from != at || !(network.links()[id].bytes_per_second > 0))
      return false;
    at = network.links()[id].to;
  }
  return at == target;
}

/// SimGrid's routes in a dragonfly are not always paths.
bool promises_paths(const orrery::machine::Machine& machine) {
  for (const auto& dimension : machine.network) {
    if (dimension.dragonfly.compat != orrery::machine::DragonflyCompat::none) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery::machine;
  const auto require = [](bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  };
  const auto machine = parse_machine({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!machine) {
    require(machine.error().file == "fuzz.yaml" && !machine.error().message.empty(), "an error without its file");
    return 0;
  }
  require(!find_violation(*machine).has_value(), "accepted with a violation");
  const std::string yaml = to_yaml(*machine);
  const auto again = parse_machine(yaml, "again.yaml");
  require(again.ok(), "its own text is refused: " + (again.ok() ? "" : again.error().to_string()) + "\n" + yaml);
  require(*again == *machine, "its own text gives another machine:\n" + yaml);
  require(to_yaml(*again) == yaml, "the text of its own text differs:\n" + yaml);

  if (machine->devices.count > 4096) return 0;  // allowed, but too slow to do thousands of times a second
  const auto network = Network::build(*machine);
  if (!network) {
    require(!network.error().message.empty(), "a network is refused without a reason");
    return 0;
  }
  const std::uint32_t last = network->device_count() - 1;
  if (promises_paths(*machine)) {
    require(is_path(*network, 0, last) && is_path(*network, last, 0) && is_path(*network, last / 2, last / 3),
            "a route is no path:\n" + yaml);
  }
  return 0;
}

#include "machine/yaml/machine_rules.h"

#include <fmt/format.h>

#include "machine/topology/topology_rules.h"
#include "machine/yaml/field_checker.h"
#include "machine/yaml/machine_fields.h"

namespace orrery::machine {

std::optional<Violation> find_violation(const Machine& machine) {
  if (auto violation = find_field_violation(machine)) return violation;

  for (std::size_t i = 0; i < machine.network.size(); ++i) {
    if (auto violation = find_topology_violation(machine.network[i], fmt::format("network[{}]", i))) return violation;
  }
  double places = 1;  // A double cannot overflow here, and is exact for every product that can equal a count.
  for (const Dimension& dimension : machine.network) places *= static_cast<double>(dimension.size);
  if (places != static_cast<double>(machine.devices.count)) {
    return Violation{
        .field = "network",
        .message = fmt::format("has places for {:.0f} devices, but devices.count is {}", places, machine.devices.count),
        .hint = "the sizes of the dimensions multiply to the number of devices; a single device has no network"};
  }
  return std::nullopt;
}

}  // namespace orrery::machine

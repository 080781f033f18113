// The rules that a machine description keeps.
#pragma once

#include <optional>

#include "machine/machine.h"
#include "machine/yaml/violation.h"

namespace orrery::machine {

/// What makes a description usable: names that can be printed, numbers in range, as many devices as the network has
/// places for, an explicit network that connects. Every Machine that the reader returns has none. Whether faults name
/// links and leave a way is for Network::build.
std::optional<Violation> find_violation(const Machine& machine);

}  // namespace orrery::machine

// The rules that tie the fields of one dimension together, after each field alone has been found in range.
#pragma once

#include <optional>
#include <string>

#include "machine/topology/dimension.h"
#include "machine/yaml/violation.h"

namespace orrery::machine {

/// `place` is where the dimension is: "network[0]".
std::optional<Violation> find_topology_violation(const Dimension& dimension, const std::string& place);

}  // namespace orrery::machine

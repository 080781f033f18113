// Collectives given as execution traces, as they are handed to the simulation.
#pragma once

#include <map>
#include <string>

#include "workload/workload.h"

namespace orrery::simulate::astra {

/// By what the names of their files begin with (machine::AstraSystem::custom): a program per place in the communicator.
using CustomPrograms = std::map<std::string, workload::Workload>;

}  // namespace orrery::simulate::astra

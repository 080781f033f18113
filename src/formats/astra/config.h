// ASTRA-sim's configuration files, as they are: network.yml, system.json, memory.json and communicator groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "machine/astra_system.h"
#include "workload/workload.h"

namespace orrery::astra {

/// topology: [ Ring, Switch ], npus_count: [ 8, 4 ], bandwidth: [ 50.0, 25.0 ] (GB/s of 2^30), latency: [ 500.0, 1000.0
/// ] (ns).
Result<std::vector<machine::AstraDimension>> read_network(const std::string& path);

/// Fills everything of `system` that system.json says; dimensions must be there already, since lists have an entry for
/// each. Keys without effect are counted in `diagnostics`.
Status read_system(const std::string& path, machine::AstraSystem& system, Diagnostics& diagnostics);

/// NO_MEMORY_EXPANSION leaves `system` without.
Status read_remote_memory(const std::string& path, machine::AstraSystem& system);

/// A communicator as a file has it, whatever the job: its name and its ranks, each once, at least one.
struct GroupInFile {
  std::string name;
  std::vector<std::uint32_t> ranks;
};
/// {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}; 0 is the world and cannot be given, and no name twice.
Result<std::vector<GroupInFile>> read_group_file(const std::string& path);

/// The same appended to the groups of `workload`, whose ranks must be there already.
Status read_groups(const std::string& path, workload::Workload& workload);

}  // namespace orrery::astra

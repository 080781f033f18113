// The machine descriptions that come with the program, by name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace orrery::job {

/// The file that `machine` means: itself if there is such a file; else, if it is a bare name, NAME.yaml among the
/// shipped descriptions (beside an installed program in share/orrery/machines, beside a built one in data/machines);
/// else `machine` as it is.
std::string machine_path(const std::string& machine);

/// The description that `machine` means. The Error about a bare name that is none lists those there are.
Result<machine::Machine> read_machine(const std::string& machine);

/// Names of the shipped descriptions, in alphabetical order; none if they are not found.
std::vector<std::string> shipped_machines();

}  // namespace orrery::job

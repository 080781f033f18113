// The program started several times over, by mpirun or srun: process 0 runs the command, the others help it
// (base/team/process_team.h).
#pragma once

#include <span>
#include <string>

#include "base/team/process_team.h"
#include "cli/frame/console.h"
#include "cli/frame/verb.h"

namespace orrery::cli {

/// Returns what the process ends with, the same for all. Without what lets them share work process 0 says so, and
/// nobody does anything.
int run_as_team(const LaunchedAs& launched, std::span<const std::string> arguments, const Console& console,
                std::span<const Verb* const> table);

}  // namespace orrery::cli

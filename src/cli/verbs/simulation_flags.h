// Flags of the verbs that simulate: who prices communication, what is shown of a run, and what a simulation is made of.
#pragma once

#include <string_view>
#include <vector>

#include "cli/frame/flag.h"

namespace orrery::cli {

/// --network-model, whose help is `help`, and what says more: --pricing and, for astra-sidecar, --sidecar,
/// --sidecar-timeout and --sidecar-cache.
std::vector<Flag> with_network_flags(std::vector<Flag> flags, std::string_view help);
/// --network-model alone, of a verb that has its options elsewhere.
Flag network_model_flag(std::string_view help);

/// --report: the page of a run.
Flag report_flag();

/// With csv, per-node, path, waits, no-symmetry and report behind the verb's own: what a run shows, and how it is made.
std::vector<Flag> with_run_flags(std::vector<Flag> flags);

/// --workload, --machine and ASTRA-sim's files, under our names and under ASTRA-sim's, to be placed among the verb's
/// own flags.
std::vector<Flag> with_simulation_flags(std::vector<Flag> flags);

}  // namespace orrery::cli

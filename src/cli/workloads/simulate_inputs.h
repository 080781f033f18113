// What a simulation is made of, from the command line: the workload, and the machine in our words or in ASTRA-sim's.
#pragma once

#include "base/result.h"
#include "cli/frame/invocation.h"
#include "job/read/astra_input.h"
#include "machine/astra_system.h"
#include "machine/machine.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::cli {

/// --workload, --machine and ASTRA-sim's files, under our names and under ASTRA-sim's, to be placed among the verb's
/// own flags.
std::vector<Flag> with_simulation_flags(std::vector<Flag> flags);

/// What is missing or contradicts itself, if anything.
std::optional<UsageError> check_simulation_flags(const Invocation& invocation);

[[nodiscard]] bool has_astra_system(const Invocation& invocation);
Result<machine::AstraSystem> load_astra_system(Invocation& invocation);
/// The files that these are read from.
job::AstraInput astra_input(const Invocation& invocation);
/// --machine, or another flag: a file, or the name of a machine that is shipped.
Result<machine::Machine> load_machine(Invocation& invocation, std::string_view flag = "machine");
struct SimulatedWorkload {
  workload::Workload workload;
  bool is_placed = false;  ///< it says what runs on which processor, as GOAL schedules do
};
/// A job of many steps, to be made while it runs; null if what --workload or the operands name is none.
Result<std::unique_ptr<workload::WorkloadSource>> open_workload(Invocation& invocation);
/// What --workload or the operands name: programs, or traces of any kind, which are linked; with their groups. `ranks`:
/// as many as there must be; 0: as many as there are. `strict`: of more files the first `ranks` count, and what
/// ASTRA-sim breaks at is an Error, not a remark.
Result<SimulatedWorkload> load_workload(Invocation& invocation, std::size_t ranks, bool strict);

}  // namespace orrery::cli

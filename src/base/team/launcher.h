// How this process was started: alone, or by mpirun or srun as one of several; and the plugin that those speak to one
// another by.
#pragma once

#include <string>

#include "base/result.h"
#include "base/team/process_plugin.h"

namespace orrery {

/// What the launcher says in the environment.
struct LaunchedAs {
  int process = 0;
  int processes = 1;
};
/// Of Open MPI (OMPI_COMM_WORLD_SIZE), of MPICH and its relatives (PMI_SIZE), of Slurm (SLURM_NTASKS, if PMIX_RANK says
/// that it started us as a task). One process if ORRERY_MPI_PLUGIN is "none".
LaunchedAs launched_as();

/// Whether somebody reads `fd` at a terminal. Never of one of several processes: launchers give those a terminal of
/// their own, whatever they pass its text on to.
bool is_terminal(int fd);

/// What a plugin gives by its one symbol: that of the file which the environment variable names, or of `file` beside
/// the program or in its library folder. Null, and `why` says what was in the way.
void* load_plugin(const char* file, const char* variable, const char* symbol, bool for_all_to_see, std::string& why);

/// The file that ORRERY_MPI_PLUGIN names, or liborrery_processes.so beside the program or in its library folder. An
/// Error says where it was looked for last, and what to do.
Result<const OrreryProcessPlugin*> load_process_plugin(const LaunchedAs& launched);

}  // namespace orrery

// The recording begun and ended by a program that brings the tracer along (src/mpi_plugin/replay.cc), instead of by
// MPI_Init and MPI_Finalize: it then has the calls of one part of the program, and the file is complete while the
// program goes on.
#pragma once

#include <mpi.h>

#include <string>

namespace orrery::tracer {

/// Collective over MPI_COMM_WORLD. Calls of MPI_... from here on are recorded in PREFIX.RANK.mpitrace. False: the file
/// could not be made, which was said on standard error.
bool begin_session(const std::string& prefix);
/// What a communicator is called, on all its members the same; before it is used.
void name_communicator(MPI_Comm handle, const std::string& name);
/// Collective over MPI_COMM_WORLD. The file is complete.
void end_session();

}  // namespace orrery::tracer

// Which algorithm an MPI library takes for a collective.
#pragma once

#include <cstddef>

#include "simulate/collective/algorithm.h"

namespace orrery::simulate {

/// By size (as CommOp::bytes counts) and number of ranks, with the limits of MPICH (Thakur, Rabenseifner and Gropp:
/// Optimization of collective communication operations in MPICH, 2005): few rounds while latency decides, little data
/// on the busiest link when bandwidth does. Where MPICH goes around a number of ranks that is no power of two by
/// folding the rest in, large reductions here are rings, as in Open MPI.
Algorithm mpi_choice(workload::Collective collective, std::size_t ranks, double bytes);

}  // namespace orrery::simulate

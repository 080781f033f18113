// How the clocks of the nodes relate: which ranks share one, and exchanges of messages between rank 0 and a rank of
// every other node.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/settings.h"

namespace orrery::tracer {

/// Where this rank runs, agreed on with all others.
struct Place {
  MPI_Comm comm = MPI_COMM_NULL;  ///< of all ranks, the tracer's own
  int rank = 0;
  int size = 1;
  int node = 0;  ///< world rank of the first rank on this node
  std::int64_t unix_offset_ns =
      0;                   ///< Unix time minus the monotonic clock; the same on all ranks of a node, as the clock is
  std::vector<int> nodes;  ///< on rank 0: the first ranks of all nodes but its own
};

/// Collective over MPI_COMM_WORLD, as all of this.
Place find_place(const Settings& settings);

/// Appends a line per exchange to PREFIX.probes.jsonl, which rank 0 writes, in the form that `orrery align --probes`
/// takes. The first call of a run begins the file; where there is only one node there is none.
void take_probes(const Place& place, const Settings& settings, bool is_first);

}  // namespace orrery::tracer

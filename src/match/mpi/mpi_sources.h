// From whom a receive of MPI got its message, where the recorder does not say (A-mpiP has destinations of sends only).
//
// - Exchange: a rank's n-th MPI_Sendrecv of a callsite gets what another rank's n-th of the same callsite sends it, if
//   that is one.
// - Batch: the receives that a rank's n-th MPI_Waitall of a callsite completes get what the sends that other ranks'
//   n-th of that callsite completes bring, if there are as many; which of them gets which is by the order of ranks.
// - One: if all other messages to a rank come from one rank, and there are as many receives left, they are from it.
//
// A rank of which some receive is left over takes all its messages as they come: mixing both would let one that takes
// any message take another's.
#pragma once

#include <cstdint>
#include <vector>

#include "match/mpi/mpi_requests.h"
#include "trace/trace.h"

namespace orrery::match {

/// What is known of the calls of one rank.
struct MpiCalls {
  std::vector<const MpiFunction*> functions;  ///< per event
  MpiRequests requests;
  /// Per event: of a receive its source, a rank; workload::kAnyPeer if it takes any or none is known; of others
  /// kAnyPeer too.
  std::vector<std::int64_t> sources;
  std::size_t receives_inferred = 0;  ///< whose source was found by the rules above
  std::size_t receives_open = 0;      ///< whose source is not known
  std::size_t sends_to_it = 0, receives = 0;
};

/// One entry per rank of the trace. O(calls log calls).
std::vector<MpiCalls> find_mpi_calls(const trace::Trace& trace);

}  // namespace orrery::match

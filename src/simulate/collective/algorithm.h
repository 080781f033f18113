// Which algorithm can do which collective.
#pragma once

#include <string_view>

#include "machine/communication.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// automatic            the cheapest of those below, by the time it would take alone
/// ring                 round and round through neighbours, in one direction
/// bidirectional_ring   half of the bytes each way round
/// direct               every rank to every other, at once
/// halving_doubling     log2(n) exchanges with partners at doubling distances; 2^k ranks only
/// double_binary_tree   two trees with half of the bytes each, pipelined
/// hierarchical         dimension by dimension of the machine, innermost first
/// mpi                  by size and number of ranks, as MPI libraries choose (mpi_choice.h), among those above and below
/// binomial_tree        log2(n) levels, each with twice as many ranks that have it
/// recursive_doubling   everything with partners at doubling distances; ranks beyond a power of two hand theirs to a neighbour first
/// bruck                log2(n) rounds with ranks at doubling distances, each with all that is due there and beyond
/// pairwise             with every other rank, one after the other
/// The order is the tie-break of the automatic choice, which looks at those up to hierarchical: of two that cost the same, the first wins.
using Algorithm = machine::CollectiveAlgorithm;

std::string_view to_string(Algorithm algorithm);

/// Whether `algorithm` can do `collective` for some group. `automatic` can do all.
bool can_do(Algorithm algorithm, workload::Collective collective);

}  // namespace orrery::simulate

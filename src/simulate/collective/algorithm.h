// Which algorithm can do which collective.
#pragma once

#include <cstddef>
#include <string_view>

#include "machine/communication.h"
#include "machine/topology/dimension.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// automatic            what NCCL would take: of those in is_automatic() the cheapest, by the time it would take alone
/// ring                 round and round through neighbours, in one direction
/// bidirectional_ring   half of the bytes each way round
/// direct               every rank to every other, at once
/// halving_doubling     log2(n) exchanges with partners at doubling distances; 2^k ranks only
/// double_binary_tree   two trees with half of the bytes each, pipelined; all_gather, reduce_scatter: one from, or to,
/// every rank, aggregated hierarchical         dimension by dimension of the machine, innermost first mpi by size and
/// number of ranks, as MPI libraries choose (mpi_choice.h), among those above and below binomial_tree        log2(n)
/// levels, each with twice as many ranks that have it recursive_doubling   everything with partners at doubling
/// distances; ranks beyond a power of two hand theirs to a neighbour first bruck                log2(n) rounds with
/// ranks at doubling distances, each with all that is due there and beyond pairwise             with every other rank,
/// one after the other The order is the tie-break of the automatic choice: of two that cost the same, the first wins.
using Algorithm = machine::CollectiveAlgorithm;

std::string_view to_string(Algorithm algorithm);

/// Whether `algorithm` can do `collective` for some group. `automatic` can do all.
bool can_do(Algorithm algorithm, workload::Collective collective);

/// Whether the automatic choice, and hierarchical along one dimension, look at `algorithm`: at what NCCL has. Rings and
/// trees everywhere; direct for what NCCL sends point to point (all_to_all, gather, scatter), and inside a node, where
/// it stands for NVLS: one step through the switch. Neither the number of ranks nor whether it is a power of two
/// matters, so that nothing jumps where a job grows by a rank.
bool is_automatic(Algorithm algorithm, workload::Collective collective, bool inside_node);

/// What counts as the inside of a node: the innermost dimension, if any two of its devices are neighbours (switch,
/// fully_connected).
bool is_inside_node(std::size_t dimension, machine::Topology topology);

}  // namespace orrery::simulate

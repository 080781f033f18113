// Which algorithm can do which collective, which one a library takes, and what each call costs besides its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "machine/communication.h"
#include "machine/topology/dimension.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// - automatic: what NCCL would take: of those in is_automatic() the cheapest, by the time it would take alone
/// - ring: round and round through neighbours, in one direction
/// - bidirectional_ring: half of the bytes each way round
/// - direct: every rank to every other, at once
/// - halving_doubling: log2(n) exchanges with partners at doubling distances; 2^k ranks only
/// - double_binary_tree: two trees with half of the bytes each, pipelined; of all_gather and reduce_scatter one from,
///   or to, every rank, aggregated
/// - hierarchical: dimension by dimension of the machine, innermost first
/// - mpi: by size and number of ranks, as MPI libraries choose (mpi_choice()), among those above and below
/// - binomial_tree: log2(n) levels, each with twice as many ranks that have it
/// - recursive_doubling: everything with partners at doubling distances; ranks beyond a power of two hand theirs to a
///   neighbour first
/// - bruck: log2(n) rounds with ranks at doubling distances, each with all that is due there and beyond
/// - pairwise: with every other rank, one after the other
///
/// The order is the tie-break of the automatic choice: of two that cost the same, the first wins.
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

/// Which algorithm an MPI library takes: by size (as CommOp::bytes counts) and number of ranks, with the limits of
/// MPICH (Thakur, Rabenseifner and Gropp: Optimization of collective communication operations in MPICH, 2005): few
/// rounds while latency decides, little data on the busiest link when bandwidth does. Where MPICH goes around a number
/// of ranks that is no power of two by folding the rest in, large reductions here are rings, as in Open MPI.
Algorithm mpi_choice(workload::Collective collective, std::size_t ranks, double bytes);

/// What communication costs besides latency and bandwidth of links, and which algorithm does which collective. A plain
/// value. The defaults charge nothing beyond the links.
struct CommOptions {
  TimePs launch_overhead_ps = 0;   ///< once per collective, before its first message
  TimePs message_overhead_ps = 0;  ///< per message that a rank issues; those of one step are issued one after the other
  /// Larger messages first ask the receiver, which costs one more round trip. None: every message is sent at once
  /// (eager).
  std::optional<std::int64_t> rendezvous_above_bytes = {};
  std::array<Algorithm, workload::kCollectives> algorithms = {};  ///< by workload::Collective; `automatic` unless told

  [[nodiscard]] Algorithm algorithm(workload::Collective collective) const {
    return algorithms[static_cast<std::size_t>(collective)];
  }
};

/// As a machine says, rounded to picoseconds. Collectives that its algorithm cannot do at all are left to `automatic`.
CommOptions comm_options(const machine::Communication& communication);

}  // namespace orrery::simulate

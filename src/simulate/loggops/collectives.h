// Collectives as the messages they are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/column.h"
#include "base/result.h"
#include "machine/communication.h"
#include "simulate/loggops/operations.h"
#include "workload/message_pattern.h"
#include "workload/workload.h"

namespace orrery::simulate::loggops {

enum class AllReduceAlgorithm : std::uint8_t { automatic, recursive_doubling, recursive_halving, ring, tree };

struct CollectiveOptions {
  AllReduceAlgorithm all_reduce = AllReduceAlgorithm::automatic;
  /// automatic: up to this size recursive doubling (a tree if the ranks are not a power of two), above it a ring.
  std::int64_t largest_small_bytes = 16 * 1024;
  bool as_mpi = false;  ///< all collectives by size and number of ranks, as MPI libraries choose
                        ///< (collective/mpi_choice.h); the others do not count
};

/// What a machine that is described so does.
CollectiveOptions options_of(machine::CollectiveAlgorithm algorithm);

/// Appends what rank `place` of a group of `ranks` does in a collective of `bytes`, counted as CommOp::bytes is. Shares
/// are rounded up. recursive_doubling and recursive_halving give way to a tree if `ranks` is not a power of two.
void append_collective(workload::MessagePattern& pattern, workload::Collective collective, std::uint32_t place,
                       std::uint32_t ranks, std::uint32_t root, std::int64_t bytes, const CollectiveOptions& options);

/// The same as MPI libraries do it.
void append_mpi_collective(workload::MessagePattern& pattern, workload::Collective collective, std::uint32_t place,
                           std::uint32_t ranks, std::uint32_t root, std::int64_t bytes);

/// The same for parts of unequal size, as CommOp::parts has them: each is sent straight to whoever needs it.
void append_unequal_collective(workload::MessagePattern& pattern, workload::Collective collective, std::uint32_t place,
                               std::uint32_t ranks, std::uint32_t root, std::span<const std::int64_t> parts);

/// A workload without collectives that stands for another, and which activity stands for which. Activities are numbered
/// rank by rank.
struct Expansion {
  workload::Workload workload;
  Column<OpIndex> origin;          ///< by activity of `workload`: the original's
  Column<OpIndex> enters, leaves;  ///< by original activity: the one it starts with, the one it ends with
};

/// Which processor an activity gets.
using CpuOf = std::function<std::uint8_t(const workload::Program&, std::size_t activity)>;

/// Who belongs together is for workload/matching.h to say, and its Errors are handed on. Each collective becomes an
/// empty computation, its messages, and another empty computation that waits for them. The workload must not speak of
/// roles.
Result<Expansion> replace_collectives(const workload::Workload& workload, const CollectiveOptions& options,
                                      const CpuOf& cpu_of, const DurationOf& duration_of);

}  // namespace orrery::simulate::loggops

// Who waits for whom in a communication: because of the data, and because it was seen.
//
// What the data demands does not tell what a library does: gloo's broadcast holds its root until the last leaf has
// come, NCCL's does not; a buffered send holds nobody. So each class of operations (kind, group, size, root) is asked
// whether a member ever ended before another had come, and whether it was ever held by it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sparse_rows.h"
#include "base/units.h"
#include "causal/causal_graph.h"

namespace orrery::causal {

/// When a participation arrived and ended, on one clock; by place in CausalGraph::parts.
struct PartMoments {
  TimePs arrival = 0;
  TimePs end = 0;
  TimePs computes_on = 0;  ///< after its arrival, until others are served: see causal/join/mpi_progress.h

  /// What others wait for.
  [[nodiscard]] TimePs served() const { return arrival + computes_on; }
};

struct Needs {
  std::vector<std::uint8_t>
      everybody;  ///< per part: whether it waits for all others of its operation; then `others` has none
  SparseRows<std::uint32_t, std::size_t> others;  ///< per part: those that it waits for, other than itself, ascending
};

/// Somebody who gets nothing from another, by the sizes that were recorded: places in CausalGraph::parts.
struct SilentPair {
  std::uint32_t waiter = 0, other = 0;
  friend auto operator<=>(const SilentPair&, const SilentPair&) = default;
};

/// `silent`: of operations with `has_splits`, ascending. O(parts), but for operations in which not everybody waits for
/// everybody by the data: those take O(members^2) each, and above kMostMembersInPairs members are judged by what all
/// but the root have in common.
Needs find_needs(std::span<const JobOperation> operations, std::span<const JobPart> parts,
                 std::span<const PartMoments> moments, std::span<const SilentPair> silent = {});

inline constexpr std::uint32_t kMostMembersInPairs = 64;
/// A send of a host is buffered up to here, unless something else was seen.
inline constexpr std::int64_t kBufferedBytes = 64 * 1024;

}  // namespace orrery::causal

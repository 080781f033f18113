// The communication patterns of MPI collectives as messages, as LogGOPSim's schedgen names and lays them out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::generate {

struct MpiPatternOptions {
  std::uint32_t ranks = 2;
  std::int64_t bytes = 1;
  std::int64_t segment_bytes = 1;  ///< of pipelinedring
};

/// "binomialtreebcast", "dissemination", "linear_alltoall", ...: the names mpi_pattern() knows.
std::span<const std::string_view> mpi_pattern_names();

/// All messages have tag 0. An Error if there is no such pattern, too few ranks, a number below 0, or ranks must be a
/// power of two. `bytes` is what schedgen's --datasize is: of the whole buffer for broadcasts and reductions
/// (allreduce_ring sends a share of it), per pair of ranks for gather, scatter and linear_alltoall.
Result<workload::Workload> mpi_pattern(std::string_view name, const MpiPatternOptions& options);

}  // namespace orrery::generate

// What the user sets by environment variables. docs/TRACER.md lists them.
#pragma once

#include <cstddef>
#include <string>

namespace orrery::tracer {

struct Settings {
  std::string prefix;            ///< ORRERY_MPI_PREFIX: files are PREFIX.RANK.mpitrace and PREFIX.probes.jsonl
  int depth = 4;                 ///< ORRERY_MPI_DEPTH: return addresses that make a callsite
  std::size_t buffer_bytes = 0;  ///< ORRERY_MPI_BUFFER_KIB
  int probe_rounds = 16;         ///< ORRERY_MPI_PROBE_ROUNDS: exchanges with each node at either end; 0: none
  bool every_rank_a_node =
      false;  ///< ORRERY_MPI_NODES=rank: no two ranks share a clock, whatever their hosts are called
};

inline constexpr int kMaxDepth = 32;

/// What is set and makes no sense is told on standard error, and the default used.
Settings read_settings();

}  // namespace orrery::tracer

// Reads liballprof traces (the tracer of LogGOPSim), plain or compressed: docs/formats/liballprof.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "match/mpi/mpi_rank.h"
#include "trace/trace.h"

namespace orrery::liballprof {

struct ReadOptions {
  bool salvage = false;  ///< a damaged trace is read up to the damage, with a warning, instead of being refused
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

/// One file per rank (pmpi-trace-rank-3.txt): docs/formats/mpi.md has the shape of the result. Times are those of the
/// hosts' clocks.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

/// What a rank says of the communicators of its calls, before it is known who else is in them.
struct NamedCommunicator {
  trace::EventIndex event = 0;
  std::uint64_t handle = 0;
  std::int64_t rank = 0, size = 0;
};

/// The other side of a message, by its place in the communicator of the call.
struct NamedPeer {
  trace::EventIndex event = 0;
  std::int64_t place = 0;  ///< -1: any source; below: nobody
  bool is_destination = false;
};

struct RankCalls {
  match::MpiRankRead read;
  std::vector<NamedCommunicator> communicators;  ///< at most one per event, in order
  std::vector<NamedPeer> peers;                  ///< in order of `event`
  std::int64_t first_us = 0;                     ///< what time 0 of the rank means
};

/// The calls of one rank, without communicators and peers: those are told by all ranks together.
Status parse_rank(std::string_view text, const std::string& path, RankCalls& out, Diagnostics& diagnostics);

bool is_trace(std::string_view text);

}  // namespace orrery::liballprof

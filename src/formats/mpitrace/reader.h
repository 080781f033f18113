// Reads the files that liborrery_mpi.so leaves: one per rank, plain or compressed. docs/formats/mpitrace.md has the
// layout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/read_rank.h"
#include "trace/trace.h"

namespace orrery::mpitrace {

struct ReadOptions {
  bool salvage = false;  ///< of a damaged file, read what stands before the damage. One that is only cut is read up to
                         ///< the cut in any case
  std::function<void(std::uint64_t bytes)> on_progress = {};
};

/// One rank by itself. `bytes` is the whole (inflated) file; groups have the names on which all ranks agree.
Result<trace::RankTrace> parse_rank(std::string_view bytes, const std::string& path, Interner& strings,
                                    Diagnostics& diagnostics, const ReadOptions& options);

/// The job, ranks ascending. Files of ranks of different jobs, or two of one rank, are an Error; a rank without a file
/// is counted (I843), unless only one is asked for.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options);

/// Its two halves: each file by itself; and the job of what was read of all of them.
Result<trace::ReadRank> read_rank(const std::string& path, const ReadOptions& options);
Result<trace::Trace> join_ranks(std::vector<trace::ReadRank> ranks, Diagnostics& diagnostics);

}  // namespace orrery::mpitrace

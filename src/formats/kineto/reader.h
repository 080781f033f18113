// Reads PyTorch profiler (Kineto) traces, and Chrome traces in general: JSON, plain or compressed with gzip or zstd.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kineto/event_fields.h"
#include "trace/read_rank.h"
#include "trace/trace.h"

namespace orrery::kineto {

struct ReadOptions {
  bool salvage = false;  ///< a damaged file is read up to the damage, with a warning, instead of being refused
  std::size_t stretch_bytes =
      8u << 20;  ///< a compressed file is parsed in parallel stretches of this many inflated bytes
  std::size_t part_bytes = 32u << 20;  ///< a plain file larger than two of these is read in parallel parts of this size
  RequestedArguments requested = {};   ///< beside those that are always read
  bool launch_arrows = true;           ///< keep arrows that say what the correlation of events says, too
  bool in_parts = true;                ///< one file may be parsed by several threads
  std::function<void(std::uint64_t bytes)> on_progress =
      {};  ///< called from any thread with the number of input bytes newly read
};

/// One file = one rank. The result does not depend on the number of threads. Memory: the columns, plus a few MB of
/// buffers; the pages of a mapped file are given back as they have been read.
Result<trace::RankTrace> read_rank(const std::string& path, Interner& strings, Diagnostics& diagnostics,
                                   const ReadOptions& options = {});

/// Several files = several ranks of one job, or several runs, read in parallel. A rank's number is what the file says
/// (distributedInfo), else the number behind "rank" in its name; trace/names/rank_numbers.h says what files that tell
/// neither are. An Error if only some tell.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

/// The second half of read_job: the ranks that read_rank gave, as `paths`, become a job.
Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics);

}  // namespace orrery::kineto

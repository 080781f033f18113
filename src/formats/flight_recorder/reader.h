// Reads dumps of PyTorch's Flight Recorder, pickle or JSON, plain or compressed: docs/formats/flight_recorder.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/read_rank.h"
#include "trace/trace.h"

namespace orrery::flight_recorder {

struct ReadOptions {
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

/// One dump. An empty file is a rank without anything, not even a version (see has_dump).
Result<trace::ReadRank> read_rank(const std::string& path, const ReadOptions& options = {});

/// The job of the dumps that were read from `paths`. Of several of one rank the one with most entries counts, a pickle
/// before JSON, which has no stacks. Members of groups that no dump lists, and ends of calls of host backends, are told
/// by all together.
Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics);

/// Both, by several threads.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

}  // namespace orrery::flight_recorder

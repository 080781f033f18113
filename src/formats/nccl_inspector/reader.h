// Reads logs of NCCL's Inspector, a profiler plugin that writes what each collective took:
// docs/formats/nccl_inspector.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::nccl_inspector {

struct ReadOptions {
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

/// A process is a rank, whatever files its records are in: its number is its place in the largest communicator. Members
/// of the others are found by joining the files.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

}  // namespace orrery::nccl_inspector

// Reads what `nsys export --type sqlite` writes: docs/formats/nsys.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::nsys {

struct ReadOptions {
  bool salvage = false;   ///< of a damaged table the rows before the damage are read, with a warning
  bool operands = false;  ///< see trace::is_operand
  std::function<void(std::uint64_t bytes)> on_progress = {};
};

/// Whether it is one: tables META_DATA_EXPORT and StringIds.
bool is_export(const std::string& path);
/// Whether several processes of it used CUDA. Looks at as many rows as it takes to see a second one.
bool holds_several_processes(const std::string& path);

/// The job of all exports: a rank per process with CUDA rows, ascending. Ranks have the numbers that NCCL gave them;
/// else that in the name of a file with one process; else they are numbered by process id, file after file. Calls and
/// device work are joined by correlation within a process. Times count from the begin of the recording.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

}  // namespace orrery::nsys

// Reads rocpd, the databases of rocprofv3 and rocprof-sys: docs/formats/rocprof.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "formats/rocprof/process.h"

namespace orrery::rocprof {

struct ReadOptions {
  bool salvage = false;
  bool operands = false;
  std::function<void(std::uint64_t bytes)> on_progress = {};
};

/// Whether it is one: a table or view rocpd_kernel_dispatch.
bool is_rocpd(const std::string& path);
bool holds_several_processes(const std::string& path);

/// A database may be merged of those of several processes, whose tables have the process's own id (guid) in their
/// names. Numbers of rows mean something together with it only. The tables are read themselves, never the views.
Result<ReadFile> read_rocpd(const std::string& path, const ReadOptions& options);

}  // namespace orrery::rocprof

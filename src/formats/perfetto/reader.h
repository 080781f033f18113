// Reads Perfetto's own format, packets of protobuf, plain or compressed: docs/formats/perfetto.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::perfetto {

struct ReadOptions {
  bool salvage = false;   ///< a damaged file is read up to the damage, with a warning, instead of being refused
  bool positions = true;  ///< where in the file an event is (ordinal, source_offset)
  bool operands = false;  ///< see formats::TraceOptions
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

/// Whether a file that begins with these bytes is such a trace; `is_all`: they are the whole file.
bool looks_like_perfetto(std::string_view bytes, bool is_all);

/// One file is one rank, or as many as it has processes called "rank N"; these share a clock. Several files are read in
/// parallel and numbered as trace/names/rank_numbers.h says. The result does not depend on the number of threads.
Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options = {});

}  // namespace orrery::perfetto

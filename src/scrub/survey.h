// The first pass over a file: what it is, whether it is sound, and what the job must know of it before anything is rewritten.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "scrub/id_map.h"
#include "scrub/job_facts.h"

namespace orrery::scrub {

enum class FileKind : std::uint8_t {
  kineto,  ///< a profiler trace
  host,    ///< PyTorch's execution trace
  linked,  ///< the same with times
  feeder,  ///< a Chakra trace as JSON
  chakra,  ///< a Chakra trace (.et)
  groups,  ///< communicators: {"1": [0, 1]}
};
std::string_view to_string(FileKind kind);

/// The earliest and the latest of some numbers.
struct Range {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  void add(std::int64_t number) {
    if (number < first) first = number;
    if (number > last) last = number;
  }
  void add(const Range& other) {
    if (!other.empty()) add(other.first), add(other.last);
  }
  [[nodiscard]] bool empty() const { return first > last; }
};

struct FileFacts {
  std::string path;
  FileKind kind = FileKind::kineto;
  bool compressed = false;
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;  ///< inflated
  std::uint64_t records = 0;
  std::optional<std::int64_t> rank;  ///< as the file says, else as its name does
  IdMap processes{kDeviceProcesses}, threads{kNoThread};
  Range moments_us;  ///< of profiler and linked traces
  Range starts_us;   ///< of Chakra's nodes
  Range clock_ms;    ///< start_ts and finish_ts of host traces
  std::optional<std::int64_t> base_ns;
};

/// An Error if the file cannot be used: damaged, truncated, or of no known kind.
Result<FileFacts> survey_file(const std::string& path, const std::function<void(std::uint64_t)>& on_progress = {});

/// What the files of one job share.
JobFacts join_facts(std::span<const FileFacts> files);

}  // namespace orrery::scrub

// What the first pass finds out about a file.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "scrub/files/file_kind.h"
#include "scrub/words/id_map.h"
#include "scrub/job_facts.h"

namespace orrery::scrub {

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

}  // namespace orrery::scrub

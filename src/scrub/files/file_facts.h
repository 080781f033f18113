// What the first pass finds out about a file.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format.h"
#include "scrub/job_facts.h"
#include "scrub/words/id_map.h"

namespace orrery::scrub {

// The kinds of files that scrub has rules for, among the formats that the program knows.

enum class FileKind : std::uint8_t {
  kineto,  ///< a profiler trace
  host,    ///< PyTorch's execution trace
  linked,  ///< the same with times
  feeder,  ///< a Chakra trace as JSON
  chakra,  ///< a Chakra trace (.et)
  groups,  ///< communicators: {"1": [0, 1]}
  ampip,   ///< an A-mpiP trace, in either spelling
  mpip,    ///< the report beside those
};
std::string_view to_string(FileKind kind);

/// By the format that the registry found `path` to be of. An Error if there are no rules for it: what is not understood
/// cannot be cleaned. An execution trace counts as host until a row with times is seen.
Result<FileKind> kind_of(const formats::Format& format, const std::string& path);

/// Not as a JSON document in windows: a message of protobuf may be as long as the file, and traces of MPI are short
/// lines.
bool is_read_whole(FileKind kind);

/// The list of records that a JSON document of this kind must have: "traceEvents". Empty: none.
std::string_view record_list_of(FileKind kind);

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

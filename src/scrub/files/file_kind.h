// The kinds of files that scrub has rules for, among the formats that the program knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format.h"

namespace orrery::scrub {

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

/// By the format that the registry found `path` to be of. An Error if there are no rules for it: what is not understood cannot be cleaned. An
/// execution trace counts as host until a row with times is seen.
Result<FileKind> kind_of(const formats::Format& format, const std::string& path);

/// Not as a JSON document in windows: a message of protobuf may be as long as the file, and traces of MPI are short lines.
bool is_read_whole(FileKind kind);

/// The list of records that a JSON document of this kind must have: "traceEvents". Empty: none.
std::string_view record_list_of(FileKind kind);

}  // namespace orrery::scrub

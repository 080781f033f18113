// The clock of an aligned file: a last block says how all times before it are to be read. The bytes of the recording
// stay as they were.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/clock.h"
#include "trace/trace.h"

namespace orrery::mpitrace {

/// Readings count from `epoch_unix_ns` on both sides.
struct ClockMap {
  trace::Clock clock = trace::Clock::identity();
  std::int64_t epoch_unix_ns = 0;
  std::string note;  ///< how it was found
};

/// False if the body is none.
bool decode_clock_map(std::string_view body, ClockMap& map);
/// A block with the map, to be put at the end of a file.
std::string encode_clock_block(const ClockMap& map);

/// Starts and ends on the other clock. What then lies out of range keeps its times; returns how many do.
std::uint64_t apply(const ClockMap& map, trace::RankTrace& rank);

/// The recording with the map at its end, and back. Files that are cut or damaged are refused: a block behind the cut
/// could not be told from it.
Status write_aligned(const std::string& path_in, const std::string& path_out, const ClockMap& map);
Status undo(const std::string& path_in, const std::string& path_out);

}  // namespace orrery::mpitrace

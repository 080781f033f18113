// Writes an XSpace file again with other times, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/clock.h"

namespace orrery::xspace {

/// The times a file is to get. Clocks map TimePs since `epoch_unix_ns` to TimePs since the same moment; both sides are
/// what read_rank calls Unix time: profile start + line time + offset.
struct Retiming {
  std::vector<const trace::Clock*> clock_of_lane =
      {};  ///< by lane, as read_rank numbers them; null or missing: keeps its absolute times
  const trace::Clock* host_clock = nullptr;  ///< for profile_stop_time; null: as it is
  std::int64_t epoch_unix_ns = 0;            ///< what TimePs 0 of the clocks means
  std::int64_t origin_unix_ns = 0;  ///< becomes profile_start_time: the same for all nodes that are shown together
  std::int64_t era_ns =
      0;  ///< added to both where they are written: the file's own clock is years away (RankTrace::era_ns)
  std::string record = {};  ///< free text to be kept in the file beside the clocks: how they were found
};

struct RewriteSummary {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;          ///< with a time
  std::uint64_t events_moved = 0;    ///< of these, those whose absolute start or whose duration changed
  std::uint64_t untimed_events = 0;  ///< passed through
  std::uint64_t remembered =
      0;  ///< events whose old times are kept in the file because the clock cannot be inverted there
};

/// Start and end of every event are mapped, so order, nesting and containment stay as they are, and what has no
/// duration has none later. A line's timestamp_ns becomes the image of the old one, rounded down to ns; offsets keep
/// their picoseconds and are not negative unless they were before. profile_start_time becomes the origin. Everything
/// else (unknown fields, stats, their order, aggregated events, the device's own device_offset_ps) stays as it is, byte
/// for byte; where nothing changes and `record` is empty the whole file does. Otherwise a plane "/clock_alignment" is
/// added at the end with the clocks and all that undo() needs. Memory: the output of one plane besides the mapped
/// input. A file whose times do not fit, or that undo() could not restore, is an Error.
Result<RewriteSummary> rewrite(const std::string& path_in, const std::string& path_out, const Retiming& retiming);

/// Restores the bytes of the file that rewrite() was given (inflated, if it was compressed). An Error if this is no
/// such file.
Status undo(const std::string& path_in, const std::string& path_out);

}  // namespace orrery::xspace

// Writes a Kineto file again with other times, and back.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "trace/clock.h"

namespace orrery::kineto {

/// The times a file is to get. All lanes of a Kineto file are on one clock: the profiler has put device times on the
/// host's.
struct Retiming {
  const trace::Clock* clock = nullptr;  ///< maps TimePs since `epoch_unix_ns` to TimePs since the same moment; not null
  std::int64_t epoch_unix_ns = 0;       ///< what TimePs 0 of the clock means: that of the Trace
  std::int64_t base_unix_ns =
      0;                  ///< what the file's ts count from: baseTimeNanoseconds as read, 0 without one. It stays.
  std::string note = {};  ///< free text to be kept in the file beside the clock: how it was found
};

struct RewriteSummary {
  std::uint64_t events = 0;        ///< with a ts, metadata (ph M) not counted
  std::uint64_t events_moved = 0;  ///< of these, those whose start or duration changed
  std::uint64_t unusable = 0;      ///< of these, those left as they are: times out of range
  std::uint64_t remembered =
      0;  ///< of these, those whose old spelling is kept in the file because the clock does not give it back
};

/// ts and dur of every event of the event list but metadata (ph M) are mapped, start and end each by itself: order,
/// nesting and the slices that flow points bind to stay, and what has no duration has none later. Reading the result
/// gives exactly the clock's images. Numbers get up to six decimals, at least as many as they had; one that does not
/// change keeps its spelling. Every other byte stays, arguments and unknown members included; where nothing changes and
/// `note` is empty the whole file does. Otherwise a member "orreryAlignment" is added at the end of the document with
/// the clock and all that undo() needs. One streaming pass: memory is bounded by blocks and by what has to be
/// remembered. The name of `path_out` says how it is compressed. A bare array of events is an Error, as it has no place
/// for the member; so is a damaged file.
Result<RewriteSummary> rewrite(const std::string& path_in, const std::string& path_out, const Retiming& retiming);

/// Restores the text of the file that rewrite() was given (if it was compressed: what it inflates to) to the byte. An
/// Error if this is no such file, or if it was changed since. Two passes.
Status undo(const std::string& path_in, const std::string& path_out);

}  // namespace orrery::kineto

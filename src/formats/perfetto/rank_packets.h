// The events of a rank as slices of Perfetto's tracks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interner.h"
#include "formats/perfetto/packet_writer.h"
#include "trace/trace.h"

namespace orrery::perfetto {

/// One end of an arrow.
struct FlowEnd {
  trace::EventIndex event = 0;
  FlowId flow = 0;
  bool leaves = false;  ///< from this event; else it leads here
};

/// Where picoseconds since the trace's epoch lie on Perfetto's clock: whole nanoseconds, rounded down, so that what
/// nests in the trace nests there. Moments before Perfetto's time 0 cannot be written: `epoch_ns` is to be chosen so
/// that there are none.
inline std::int64_t to_ns(TimePs time, std::int64_t epoch_ns) {
  const std::int64_t whole = time / kPsPerNs;
  return epoch_ns + whole - (time % kPsPerNs < 0 ? 1 : 0);
}

/// Writes every event of the rank. `lanes`: the track of each lane; events that overlap there without nesting go to
/// further tracks below it. `flows` are sorted by event. Events without a duration are moments.
void write_rank(const trace::RankTrace& rank, const Interner& strings, std::span<const Track> lanes,
                std::span<const FlowEnd> flows, std::int64_t epoch_ns, PacketWriter& writer);

}  // namespace orrery::perfetto

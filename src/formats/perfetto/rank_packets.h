// The events of a rank as slices of Perfetto's tracks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/interner.h"
#include "base/io/output_file.h"
#include "base/protobuf/protobuf_writer.h"
#include "base/result.h"
#include "formats/perfetto/schema.h"
#include "trace/trace.h"

namespace orrery::perfetto {

// Writes Perfetto's own format, protobuf packets (docs/formats/perfetto.md): tracks, slices on them, arrows between
// slices, counters.

using Track = std::uint64_t;   ///< the uuid of one
using FlowId = std::uint64_t;  ///< of an arrow; not 0

/// What a slice says beside its name.
struct Annotation {
  std::string_view key;
  std::variant<std::int64_t, double, std::string_view> value;
};

struct Slice {
  std::string_view name;
  std::string_view category = {};
  std::span<const FlowId> begins = {};  ///< arrows that leave it
  std::span<const FlowId> ends = {};    ///< arrows that lead to it
  std::span<const Annotation> annotations = {};
};

/// One trace. Compressed if its name ends in .gz; it replaces an old one only when it is complete. Memory: a few MB and
/// each name once.
///
/// Perfetto sorts packets by time and keeps the order of those of one moment. So on each track slices must be begun and
/// ended as on a stack, in order of time; tracks may be written one after the other.
class PacketWriter {
 public:
  static Result<PacketWriter> create(const std::string& path);

  Track add_process(std::int64_t pid, std::string_view name);
  Track add_thread(std::int64_t pid, std::int64_t tid, std::string_view name);
  /// Below another: what belongs to it and needs a row of its own.
  Track add_track(Track parent, std::string_view name);
  /// Of values over time.
  Track add_counter(Track parent, std::string_view name);

  void begin(Track track, std::int64_t time_ns, const Slice& slice) { add_event(track, time_ns, kBegin, slice); }
  void end(Track track, std::int64_t time_ns);
  /// A moment.
  void mark(Track track, std::int64_t time_ns, const Slice& slice) { add_event(track, time_ns, kInstant, slice); }
  void count(Track counter, std::int64_t time_ns, std::int64_t value);

  /// Writes what is left and puts the file in its place. Errors of all writes before are told here.
  Status commit();

 private:
  /// Texts that are written once and referred to by number.
  struct Names {
    std::uint32_t field;  ///< of InternedData
    std::map<std::string, std::uint64_t, std::less<>> numbers = {};
  };

  explicit PacketWriter(OutputFile file) : file_(std::move(file)) {}
  template <typename Write>
  void add_packet(const Write& write);
  template <typename Write>
  Track describe(std::string_view name, const Write& write);
  void add_event(Track track, std::int64_t time_ns, EventType type, const Slice& slice);
  /// Its number; a new one is added to what the next packet brings along.
  std::uint64_t number_of(Names& names, std::string_view text);

  OutputFile file_;
  std::string buffer_;
  std::string new_names_;  // InternedData of the packet that is being written
  Names categories_{1}, event_names_{2}, keys_{3};
  Track next_track_ = 1;
  bool is_first_ = true;
};

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

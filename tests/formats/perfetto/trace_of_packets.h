// Perfetto traces made packet by packet, and what the reader makes of them.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/protobuf/protobuf_writer.h"
#include "formats/perfetto/reader.h"
#include "formats/perfetto/schema.h"
#include "support/temp_dir.h"

namespace orrery::testing {

class PacketTrace {
 public:
  using Fill = std::function<void(WireWriter&)>;

  std::string bytes;

  void packet(const Fill& fill) {
    WireWriter trace(bytes);
    WireWriter packet(trace, perfetto::trace_field::kPacket);
    fill(packet);
  }
  /// A thread called "main" of process 1, and its process.
  void thread(std::uint64_t uuid, std::int64_t pid = 1, std::int64_t tid = 10, const char* process_name = "python") {
    packet([&](WireWriter& packet) {
      WireWriter track(packet, perfetto::packet_field::kTrackDescriptor);
      track.add_number(1, uuid + 1000);
      WireWriter process(track, perfetto::track_field::kProcess);
      process.add_number(1, pid);
      process.add_bytes(6, process_name);
    });
    packet([&](WireWriter& packet) {
      WireWriter track(packet, perfetto::packet_field::kTrackDescriptor);
      track.add_number(1, uuid);
      WireWriter thread(track, perfetto::track_field::kThread);
      thread.add_number(1, pid);
      thread.add_number(2, tid);
      thread.add_bytes(5, "main");
    });
  }
  void begin(std::uint64_t track, std::uint64_t time, const std::string& name, const std::string& category = "cpu_op") {
    event(track, time, perfetto::kBegin, [&](WireWriter& event) {
      event.add_bytes(perfetto::event_field::kName, name);
      if (!category.empty()) event.add_bytes(perfetto::event_field::kCategory, category);
    });
  }
  void end(std::uint64_t track, std::uint64_t time) {
    event(track, time, perfetto::kEnd, [](WireWriter&) {});
  }
  void event(std::uint64_t track, std::uint64_t time, int type, const Fill& fill, std::uint64_t sequence = 1,
             std::uint64_t flags = 0, const Fill& more = {}) {
    packet([&](WireWriter& packet) {
      packet.add_number(perfetto::packet_field::kTimestamp, time);
      packet.add_number(perfetto::packet_field::kSequence, sequence);
      if (flags != 0) packet.add_number(perfetto::packet_field::kSequenceFlags, flags);
      if (more) more(packet);
      WireWriter event(packet, perfetto::packet_field::kTrackEvent);
      event.add_number(perfetto::event_field::kType, type);
      event.add_number(perfetto::event_field::kTrack, track);
      fill(event);
    });
  }
};

struct ReadPackets {
  trace::Trace trace;
  Diagnostics diagnostics;

  /// "name category start+duration", in ns since the epoch; "-" without a duration.
  [[nodiscard]] std::vector<std::string> events(std::size_t rank = 0) const {
    std::vector<std::string> rows;
    const trace::RankTrace& r = trace.ranks.at(rank);
    for (trace::EventIndex e = 0; e < r.event_count(); ++e) {
      rows.push_back(std::string(trace.name(r, e)) + " " +
                     std::string(trace.strings.text(r.categories[r.category[e]].text)) + " " +
                     std::to_string(r.start[e] / kPsPerNs) + "+" +
                     (r.has_duration(e) ? std::to_string(r.duration[e] / kPsPerNs) : "-"));
    }
    return rows;
  }
};

inline Result<trace::Trace> try_read(const std::string& bytes, Diagnostics& diagnostics, bool salvage = false) {
  const TempDir dir;
  return perfetto::read_job({dir.write("x.pftrace", bytes)}, diagnostics, {.salvage = salvage});
}

inline ReadPackets read_packets(const std::string& bytes) {
  ReadPackets read;
  Result<trace::Trace> trace = try_read(bytes, read.diagnostics);
  REQUIRE_MESSAGE(trace.ok(), (trace.ok() ? std::string() : trace.error().to_string()));
  read.trace = std::move(*trace);
  return read;
}

}  // namespace orrery::testing

#include "formats/perfetto/reader.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include "formats/perfetto/clock_table.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/rank_packets.h"
#include "formats/perfetto/trace_of_packets.h"

namespace {

using namespace orrery;
using namespace orrery::perfetto;
using testing::PacketTrace;
using testing::read_packets;
using testing::ReadPackets;
using Rows = std::vector<std::string>;

void intern(WireWriter& packet, std::uint32_t kind, std::uint64_t number, std::string_view text) {
  WireWriter names(packet, packet_field::kInternedData);
  WireWriter entry(names, kind);
  entry.add_number(1, number);
  entry.add_bytes(2, text);
}

std::string deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                   text.size()) == Z_OK);
  out.resize(size);
  return out;
}

TEST_CASE("numbers of texts are those of their writer, until it clears them") {
  PacketTrace trace;
  trace.thread(5);
  const auto named = [&](std::uint64_t sequence, std::uint64_t time, std::uint64_t flags, const char* name) {
    trace.event(
        5, time, kInstant, [](WireWriter& event) { event.add_number(event_field::kNameNumber, 1); }, sequence, flags,
        [&](WireWriter& packet) {
          if (name != nullptr) intern(packet, interned_field::kEventNames, 1, name);
        });
  };
  named(1, 10, 1, "a");
  named(2, 20, 1, "b");
  named(1, 30, 2, nullptr);
  named(2, 40, 2, nullptr);
  named(1, 50, 1, "c");
  named(2, 60, 1, nullptr);
  const ReadPackets read = read_packets(trace.bytes);
  CHECK(read.events() == Rows{"a  10+-", "b  20+-", "a  30+-", "b  40+-", "c  50+-", "  60+-"});
  CHECK(read.diagnostics.count(kUnknownNumber) == 1);
}

TEST_CASE("after lost packets, what needs names is left out until they are sent again") {
  PacketTrace trace;
  trace.thread(5);
  const auto mark = [&](std::uint64_t time, std::uint64_t flags, bool dropped) {
    trace.event(
        5, time, kInstant, [](WireWriter& event) { event.add_bytes(event_field::kName, "x"); }, 1, flags,
        [&](WireWriter& packet) {
          if (dropped) packet.add_number(packet_field::kPacketDropped, 1);
        });
  };
  mark(10, 2, false);
  mark(20, 2, true);
  mark(30, 2, false);
  mark(40, 0, false);
  mark(50, 3, true);  // lost, and sent again in the same packet
  const ReadPackets read = read_packets(trace.bytes);
  CHECK(read.events() == Rows{"x  10+-", "x  40+-", "x  50+-"});
  CHECK(read.diagnostics.count(kLostState) == 2);
}

TEST_CASE("times go through snapshots to REALTIME; a clock may count microseconds, from its writer's defaults") {
  PacketTrace trace;
  trace.thread(5);
  trace.packet([](WireWriter& packet) {
    WireWriter snapshot(packet, packet_field::kClockSnapshot);
    const auto clock = [&](std::uint64_t id, std::uint64_t time, std::uint64_t unit) {
      WireWriter entry(snapshot, 1);
      entry.add_number(1, id);
      entry.add_number(2, time);
      if (unit != 0) entry.add_number(4, unit);
    };
    clock(kBoottimeClock, 100, 0);
    clock(kRealtimeClock, 7'000'000'100, 0);
    clock(64, 0, 1000);
  });
  trace.begin(5, 150, "boot");
  trace.end(5, 160);
  trace.packet([](WireWriter& packet) {
    packet.add_number(packet_field::kSequence, 2);
    WireWriter defaults(packet, packet_field::kDefaults);
    defaults.add_number(defaults_field::kClock, 64);
    WireWriter event(defaults, defaults_field::kTrackEvent);
    event.add_number(defaults_field::kTrack, 5);
  });
  for (const int type : {kBegin, kEnd})
    trace.packet([&](WireWriter& packet) {
      packet.add_number(packet_field::kTimestamp, type == kBegin ? 2 : 5);
      packet.add_number(packet_field::kSequence, 2);
      WireWriter event(packet, packet_field::kTrackEvent);
      event.add_number(event_field::kType, type);
      event.add_bytes(event_field::kName, "micro");
    });
  const ReadPackets read = read_packets(trace.bytes);
  CHECK(read.trace.epoch_unix_ns == 7'000'000'000);
  CHECK(read.events() == Rows{"boot cpu_op 150+10", "micro  2100+3000"});
}

TEST_CASE("slices pair as a stack; calls that follow one another do so also where all ends come last in the file") {
  PacketTrace trace;
  trace.thread(5);
  trace.begin(5, 10, "outer");
  trace.begin(5, 10, "a");
  trace.begin(5, 20, "b");
  trace.begin(5, 30, "open");
  for (const std::uint64_t time : {20, 30}) trace.end(5, time);
  const ReadPackets all_ends_last = read_packets(trace.bytes);
  CHECK(all_ends_last.events() == Rows{"outer cpu_op 10+-", "a cpu_op 10+10", "b cpu_op 20+10", "open cpu_op 30+-"});
  CHECK(all_ends_last.diagnostics.count(kBeginWithoutEnd) == 2);

  // Neither begins nor ends are in order, and more end at a moment than is open.
  PacketTrace shuffled;
  shuffled.thread(5);
  shuffled.begin(5, 40, "late");
  shuffled.begin(5, 10, "early");
  for (const std::uint64_t time : {50, 20, 40}) shuffled.end(5, time);
  const ReadPackets sorted = read_packets(shuffled.bytes);
  CHECK(sorted.events() == Rows{"late cpu_op 40+0", "early cpu_op 10+10"});
  CHECK(sorted.diagnostics.count(kEndWithoutBegin) == 1);

  PacketTrace in_order;
  in_order.thread(5);
  in_order.begin(5, 10, "outer");
  in_order.begin(5, 20, "nothing");
  in_order.end(5, 20);
  in_order.end(5, 30);
  in_order.end(5, 40);
  const ReadPackets read = read_packets(in_order.bytes);
  CHECK(read.events() == Rows{"outer cpu_op 10+20", "nothing cpu_op 20+0"});
  CHECK(read.diagnostics.count(kEndWithoutBegin) == 1);
}

TEST_CASE("compressed packets are read in place; what inflates without end is refused") {
  PacketTrace inner;
  inner.begin(5, 10, "a");
  inner.end(5, 20);
  PacketTrace trace;
  trace.thread(5);
  trace.packet([&](WireWriter& packet) { packet.add_bytes(packet_field::kCompressed, deflated(inner.bytes)); });
  CHECK(read_packets(trace.bytes).events() == Rows{"a cpu_op 10+10"});

  PacketTrace bomb;
  bomb.packet([&](WireWriter& packet) {
    packet.add_bytes(packet_field::kCompressed, deflated(std::string(100u << 20, '\0')));
  });
  Diagnostics diagnostics;
  const auto refused = testing::try_read(bomb.bytes, diagnostics);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message.find("inflates to more than") != std::string::npos);

  PacketTrace nested;
  nested.packet([&](WireWriter& packet) { packet.add_bytes(packet_field::kCompressed, deflated(trace.bytes)); });
  CHECK(!testing::try_read(nested.bytes, diagnostics).ok());
}

TEST_CASE("arguments become fields by the profiler's names, others stay under theirs, nested ones as JSON") {
  PacketTrace trace;
  trace.thread(5);
  trace.event(5, 10, kInstant, [](WireWriter& event) {
    const auto add = [&](const char* key, const std::function<void(WireWriter&)>& value) {
      WireWriter annotation(event, event_field::kAnnotation);
      annotation.add_bytes(annotation_field::kKey, key);
      value(annotation);
    };
    add("correlation", [](WireWriter& a) { a.add_number(annotation_field::kInteger, 17); });
    add("Process Group Name", [](WireWriter& a) { a.add_number(annotation_field::kUnsigned, 3u); });
    add("stream", [](WireWriter& a) { a.add_bytes(annotation_field::kText, "7"); });
    add("ratio", [](WireWriter& a) { a.add_fixed(annotation_field::kReal, 2.5); });
    add("nested", [](WireWriter& a) {
      WireWriter x(a, annotation_field::kDictionary);
      x.add_bytes(annotation_field::kKey, "x");
      for (const int n : {1, 2}) {
        WireWriter item(x, annotation_field::kArray);
        item.add_number(annotation_field::kInteger, n);
      }
    });
  });
  const ReadPackets read = read_packets(trace.bytes);
  const trace::RankTrace& rank = read.trace.ranks[0];
  CHECK(rank.field(trace::Field::correlation).find(0) == 17);
  CHECK(rank.field(trace::Field::stream).find(0) == 7);
  const auto text = [&](std::optional<std::int64_t> id) {
    return std::string(read.trace.strings.text(static_cast<StringId>(id.value_or(0))));
  };
  CHECK(text(rank.field(trace::Field::group_name_text).find(0)) == "3");
  REQUIRE(rank.arguments.named().size() == 2);
  CHECK(text(rank.arguments.named()[0].values.find(0)) == "2.5");
  CHECK(text(rank.arguments.named()[1].values.find(0)) == R"({"x": [1, 2]})");
}

TEST_CASE("render stages are device work: kernels, copies and sets by the names of their stages") {
  PacketTrace trace;
  trace.packet([](WireWriter& packet) {
    packet.add_number(packet_field::kSequence, 1);
    packet.add_number(packet_field::kSequenceFlags, 1);
    WireWriter names(packet, packet_field::kInternedData);
    const auto specification = [&](std::uint64_t number, const char* name) {
      WireWriter entry(names, interned_field::kSpecifications);
      entry.add_number(1, number);
      entry.add_bytes(2, name);
    };
    specification(1, "Kernel");
    specification(2, "Memcpy");
    specification(100, "[07] stream 7");
    WireWriter kernel(names, interned_field::kKernels);
    kernel.add_number(1, 4);
    kernel.add_bytes(2, "_Z4gemm");
    kernel.add_bytes(3, "gemm<float>");
  });
  for (const int stage : {1, 2})
    trace.packet([&](WireWriter& packet) {
      packet.add_number(packet_field::kTimestamp, stage * 100);
      packet.add_number(packet_field::kSequence, 1);
      WireWriter event(packet, packet_field::kRenderStage);
      event.add_number(stage_field::kDuration, 30);
      event.add_number(stage_field::kQueue, 100);
      event.add_number(stage_field::kStage, stage);
      if (stage == 1) event.add_number(stage_field::kKernel, 4);
      for (const auto& [key, value] : {std::pair("stream id", "7"), std::pair("correlation", "12")}) {
        WireWriter extra(event, stage_field::kExtra);
        extra.add_bytes(1, key);
        extra.add_bytes(2, value);
      }
    });
  const ReadPackets read = read_packets(trace.bytes);
  CHECK(read.events() == Rows{"gemm<float> kernel 100+30", "Memcpy gpu_memcpy 200+30"});
  const trace::RankTrace& rank = read.trace.ranks[0];
  CHECK(rank.activity(0) == trace::Activity::kernel);
  CHECK(rank.field(trace::Field::correlation).find(1) == 12);
  REQUIRE(rank.lanes.size() == 1);
  CHECK(rank.lanes[0].thread.number == 7);
  CHECK(read.trace.strings.text(rank.lanes[0].thread_name) == "[07] stream 7");
}

TEST_CASE("processes called rank N are ranks of one clock; what our own writer writes is read back") {
  const testing::TempDir dir;
  const std::string path = dir.path("job.pftrace");
  {
    Result<PacketWriter> writer = PacketWriter::create(path);
    REQUIRE(writer);
    for (const int rank : {0, 1}) {
      const Track process = writer->add_process(rank + 1, "rank " + std::to_string(rank) + " python");
      const Track thread = writer->add_thread(rank + 1, rank + 10, "main");
      const Track more = writer->add_track(thread, "overlapping"),
                  path_track = writer->add_track(process, "critical path");
      writer->begin(thread, 10, {.name = "a", .category = "cpu_op"});
      writer->end(thread, 30);
      writer->begin(more, 20, {.name = "b", .category = "kernel"});
      writer->end(more, 40);
      writer->begin(path_track, 10, {.name = "b", .category = "kernel"});
      writer->end(path_track, 20);
    }
    REQUIRE(writer->commit().ok());
  }
  Diagnostics diagnostics;
  const Result<trace::Trace> job = read_job({path}, diagnostics);
  REQUIRE(job);
  REQUIRE(job->ranks.size() == 2);
  CHECK(job->ranks[1].rank == 1);
  CHECK(job->ranks[0].source.host == job->ranks[1].source.host);
  const trace::RankTrace& rank = job->ranks[1];
  REQUIRE(rank.event_count() == 3);
  CHECK(rank.lane[0] == rank.lane[1]);
  CHECK(rank.activity(1) == trace::Activity::kernel);
  CHECK(rank.activity(2) == trace::Activity::other);
}

TEST_CASE("counters are scaled, added up in order of time, and those of GPUs named by their descriptors") {
  PacketTrace trace;
  trace.thread(5);
  const auto counter = [&](std::uint64_t uuid, const char* name, const PacketTrace::Fill& fill) {
    trace.packet([&](WireWriter& packet) {
      WireWriter track(packet, packet_field::kTrackDescriptor);
      track.add_number(track_field::kUuid, uuid);
      track.add_bytes(track_field::kName, name);
      track.add_number(track_field::kParent, 1005);
      WireWriter description(track, track_field::kCounter);
      fill(description);
    });
  };
  counter(6, "power", [](WireWriter& c) {
    c.add_number(track_field::kMultiplier, 1000);
    c.add_bytes(track_field::kUnitName, "mW");
  });
  counter(7, "launched", [](WireWriter& c) { c.add_number(track_field::kIncremental, 1); });
  const auto count = [&](std::uint64_t uuid, std::uint64_t time, std::int64_t value) {
    trace.event(uuid, time, kCounter, [&](WireWriter& event) { event.add_number(event_field::kCounterValue, value); });
  };
  count(6, 10, 3);
  count(7, 30, 2);
  count(7, 20, 1);
  trace.packet([](WireWriter& packet) {
    packet.add_number(packet_field::kTimestamp, 40);
    packet.add_number(packet_field::kSequence, 1);
    {
      WireWriter names(packet, packet_field::kInternedData);
      WireWriter counters(names, interned_field::kCounters);
      counters.add_number(interned_field::kNumber, 1);
      {
        WireWriter descriptor(counters, interned_field::kDescriptor);
        WireWriter spec(descriptor, interned_field::kSpecs);
        spec.add_number(interned_field::kSpecId, 0);
        spec.add_bytes(interned_field::kSpecName, "SM Clock (MHz)");
      }
      counters.add_number(interned_field::kDescriptorGpu, 3);
    }
    WireWriter event(packet, packet_field::kGpuCounter);
    event.add_number(gpu_counter_field::kDescriptorNumber, 1);
    WireWriter value(event, gpu_counter_field::kCounters);
    value.add_number(gpu_counter_field::kId, 0);
    value.add_fixed(gpu_counter_field::kReal, 1980.0);
  });
  const ReadPackets read = read_packets(trace.bytes);
  const trace::Counters& counters = read.trace.ranks[0].counters;
  Rows rows;
  for (std::size_t i = 0; i < counters.size(); ++i)
    rows.push_back(std::to_string(counters.device[i]) + " " + std::string(read.trace.strings.text(counters.name[i])) +
                   " " + std::string(read.trace.strings.text(counters.unit[i])) + " " +
                   std::to_string(counters.time[i] / kPsPerNs) + " " +
                   std::to_string(static_cast<std::int64_t>(counters.value[i])));
  CHECK(rows == Rows{"3 SM Clock (MHz)  40 1980", "-1 power mW 10 3000", "-1 launched  20 1", "-1 launched  30 3"});
}

TEST_CASE("a trace that is cut is refused, or read up to the cut") {
  PacketTrace trace;
  trace.thread(5);
  trace.begin(5, 10, "a");
  trace.end(5, 20);
  const std::string whole = trace.bytes;
  trace.begin(5, 30, "b");
  const std::string cut = trace.bytes.substr(0, trace.bytes.size() - 3);
  Diagnostics diagnostics;
  const auto refused = testing::try_read(cut, diagnostics);
  REQUIRE(!refused.ok());
  CHECK(refused.error().offset == whole.size());
  CHECK(refused.error().remedy == Remedy::salvage);
  const auto salvaged = testing::try_read(cut, diagnostics, true);
  REQUIRE(salvaged);
  CHECK(salvaged->ranks[0].event_count() == 1);
  CHECK(diagnostics.count(kPerfettoSalvaged) == 1);
}

TEST_CASE("a Perfetto trace is told by its packets") {
  PacketTrace trace;
  trace.thread(5);
  trace.begin(5, 10, "a");
  CHECK(looks_like_perfetto(trace.bytes, true));
  CHECK(looks_like_perfetto(trace.bytes.substr(0, trace.bytes.size() - 2), false));
  CHECK_FALSE(looks_like_perfetto("", true));
  CHECK_FALSE(looks_like_perfetto("\n{\"traceEvents\": []}", true));
  // A plane of an XSpace: {1 id, 2 name}.
  CHECK_FALSE(looks_like_perfetto(std::string("\x0a\x08\x08\x01\x12\x04/cpu", 10), true));
}

}  // namespace

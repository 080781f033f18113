#include "formats/clock_sources/reader.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

using namespace orrery;
using clock_sources::Kind;

namespace {

struct Reading {
  trace::ClockSources sources;
  Diagnostics diagnostics;
  Status status;
};

Reading read(const std::string& text, Kind kind) {
  const testing::TempDir dir;
  Reading reading;
  reading.status = clock_sources::read(dir.write("rows.jsonl", text), kind, reading.sources, reading.diagnostics);
  return reading;
}

}  // namespace

TEST_CASE("probes keep every nanosecond; rows that are none are counted") {
  const Reading reading = read(
      "{\"src\": 0, \"dst\": 1, \"t1\": 1794702945435754730, \"t2\": 1794702945433634690, \"t3\": 1794702945433635657, "
      "\"t4\": "
      "1794702945435916026}\n"
      "not json\n\n{\"src\": 0, \"dst\": 0, \"t1\": 1, \"t2\": 2, \"t3\": 3, \"t4\": 4}\n{\"src\": 0, \"dst\": 1, "
      "\"t1\": 9, \"t2\": 2, "
      "\"t3\": 3, "
      "\"t4\": 4}\n",
      Kind::probes);
  REQUIRE(reading.status.ok());
  REQUIRE(reading.sources.probes.size() == 1);
  CHECK(reading.sources.probes[0].t4_ns == 1794702945435916026);
  CHECK(reading.diagnostics.count(clock_sources::kUnusableRow) == 3);
}

TEST_CASE("a window's rate may be written as 1 + rate, and its x may count from the clock's epoch") {
  const Reading reading = read(
      "{\"meta\": true, \"node_id\": 0, \"start_walltime_ns\": 5}\n"
      "{\"window_start_ns\": 1000000000, \"window_end_ns\": 3000000000, \"node_id\": 0, \"edges\": [{\"dst\": 1, "
      "\"alpha\": 2e-05, "
      "\"beta\": 500, "
      "\"pairs\": 9}, {\"dst\": 2, \"alpha\": 1.00002, \"beta\": 500}]}\n"
      "{\"window_start_ns\": 1700000000000000000, \"window_end_ns\": 1700000002000000000, \"node_id\": 0, \"edges\": "
      "[{\"dst\": 1, "
      "\"alpha\": "
      "2e-05, \"beta\": -33999999999500}]}\n",
      Kind::probe_windows);
  REQUIRE(reading.status.ok());
  REQUIRE(reading.sources.windows.size() == 3);
  CHECK(reading.sources.windows[0].slope == doctest::Approx(2e-5));
  CHECK(reading.sources.windows[1].slope == doctest::Approx(2e-5));
  CHECK(reading.sources.windows[2].offset_ns == doctest::Approx(500).epsilon(0.01));
}

TEST_CASE("offsets: six digits, the old name of the midpoint, rounds that failed") {
  const Reading reading = read(
      "{\"meta\": true, \"nodes\": [{\"node_id\": 0, \"start_walltime_ns\": 5, \"start_gpu_ns\": 7}]}\n"
      "{\"round_id\": 3, \"window_start_ns\": 100, \"window_end_ns\": 300, \"node_id\": 2, \"offset_ns\": "
      "1.23457e+07}\n"
      "{\"round_id\": 4, \"midpoint_sys_ns\": 500, \"node_id\": 2, \"offset_ns\": 0.0, \"reachable\": false}\n",
      Kind::offsets);
  REQUIRE(reading.status.ok());
  REQUIRE(reading.sources.offsets.size() == 2);
  CHECK(reading.sources.offsets[0].middle_ns == 200);
  CHECK(reading.sources.offsets[0].offset_ns == 12345700);
  CHECK_FALSE(reading.sources.offsets[1].usable);
  REQUIRE(reading.sources.starts.size() == 1);
  CHECK(reading.sources.starts[0].tracer_start_ns == 7);
  CHECK(reading.diagnostics.count(clock_sources::kUnreachable) == 1);
}

TEST_CASE("snapshot pairs as lines and as a message") {
  const Reading lines = read(
      "{\"meta\": true, \"node_id\": 4, \"start_walltime_ns\": 50, \"start_gpu_ns\": 70}\n{\"sys_ns\": -3, "
      "\"tracer_ns\": 9}\n",
      Kind::snapshots);
  REQUIRE(lines.status.ok());
  REQUIRE(lines.sources.snapshots.size() == 1);
  CHECK(lines.sources.snapshots[0].node == 4);
  CHECK(lines.sources.snapshots[0].pairs[0].host_ns == -3);
  const Reading message = read(std::string("\x0a\x04\x08\x05\x10\x06\x10\x64", 8), Kind::snapshots);
  REQUIRE(message.status.ok());
  CHECK(message.sources.snapshots[0].pairs[0].tracer_ns == 6);
}

TEST_CASE("a file without a usable row is refused, and says what a row looks like") {
  for (const char* text : {"", "\n \n", "{\"meta\": true}\n", "{}\n", "[1]\n", "\x01\x02\x03"}) {
    for (const Kind kind : {Kind::probes, Kind::probe_windows, Kind::offsets, Kind::snapshots}) {
      const Reading reading = read(text, kind);
      CHECK_FALSE(reading.status.ok());
    }
  }
}

#include "job/read/counters_input.h"

#include <doctest/doctest.h>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

// 2026-11-17T13:10:45Z
constexpr std::int64_t kEpochNs = 1'794'921'045'000'000'000;

/// One kernel of a device, for the first ten milliseconds of the trace.
void add_rank(trace::Trace& trace, const std::string& path, std::int64_t device) {
  trace.epoch_unix_ns = kEpochNs;
  trace::RankTrace& rank = trace.ranks.emplace_back();
  rank.source.path = path;
  rank.lanes.emplace_back();
  rank.categories.push_back({trace.strings.intern("kernel"), trace::Activity::kernel});
  rank.name.push_back(trace.strings.intern("gemm"));
  rank.category.push_back(0);
  rank.lane.push_back(0);
  rank.start.push_back(0);
  rank.duration.push_back(10 * kPsPerMs);
  rank.arguments[trace::Field::device].push(0, device);
}

constexpr std::string_view kTable =
    "timestamp, index, clocks.current.sm [MHz]\n"
    "2026/11/17 13:10:45.001, 0, 900 MHz\n"
    "2026/11/17 13:10:45.001, 1, 1980 MHz\n"
    "2026/11/17 13:10:45.005, 0, 910 MHz\n";

std::string moved(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("a table in the folder of a trace belongs to it, each device's samples to the rank that worked on it") {
  const testing::TempDir folder;
  const std::string table = folder.write("smi.csv", std::string(kTable));
  folder.write("loss.csv", "timestamp,loss\n1,2\n");
  trace::Trace trace;
  add_rank(trace, folder.path("rank0.json"), 0);
  add_rank(trace, folder.path("rank1.json"), 1);
  add_rank(trace, "/elsewhere/rank2.json", 0);
  Diagnostics diagnostics;
  const CounterFiles files = find_counters({}, {folder.path("rank0.json"), folder.path("rank1.json")});
  CHECK(files.beside == std::vector{table});
  REQUIRE(read_counters(files, trace, diagnostics).ok());
  REQUIRE(trace.ranks[0].counters.size() == 2);
  CHECK(trace.ranks[0].counters.time[0] == kPsPerMs);
  CHECK(trace.ranks[0].counters.value[1] == 910);
  CHECK(trace.strings.text(trace.ranks[0].counters.unit[0]) == "MHz");
  REQUIRE(trace.ranks[1].counters.size() == 1);
  CHECK(trace.ranks[1].counters.value[0] == 1980);
  CHECK(trace.ranks[2].counters.size() == 0);
  CHECK(diagnostics.sorted().size() == 1);
}

TEST_CASE("clocks on the wall of other time zones are moved by quarters of an hour") {
  const testing::TempDir folder;
  trace::Trace trace;
  add_rank(trace, folder.path("rank0.json"), 0);
  const std::string table = folder.write("kathmandu.csv", moved(std::string(kTable), " 13:10", " 18:55"));
  Diagnostics diagnostics;
  REQUIRE(read_counters({.named = {table}, .beside = {}}, trace, diagnostics).ok());
  REQUIRE(trace.ranks[0].counters.size() == 2);
  CHECK(trace.ranks[0].counters.time[0] == kPsPerMs);
}

TEST_CASE("a table of another time is an error if it was named, and else a remark") {
  const testing::TempDir folder;
  trace::Trace trace;
  add_rank(trace, folder.path("rank0.json"), 0);
  const std::string table = folder.write("smi.csv", moved(std::string(kTable), "2026/11/17", "2026/11/12"));
  Diagnostics diagnostics;
  CHECK_FALSE(read_counters({.named = {table}, .beside = {}}, trace, diagnostics).ok());
  CHECK(diagnostics.sorted().empty());
  REQUIRE(read_counters({.named = {}, .beside = {table}}, trace, diagnostics).ok());
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(std::string(diagnostics.sorted()[0].kind->code) == "J104");
  CHECK(trace.ranks[0].counters.size() == 0);
}

}  // namespace orrery::job

#include "formats/gpu_counters/counter_table.h"

#include <doctest/doctest.h>

#include "formats/gpu_counters/diagnostics.h"

namespace orrery::gpu_counters {
namespace {

// 2026-11-17T13:10:45Z
constexpr std::int64_t kSecond = 1'794'921'045;
constexpr std::int64_t kNs = 1'000'000'000;

CounterTable parsed(std::string_view text) {
  Diagnostics diagnostics;
  Result<CounterTable> table = parse_counter_table(text, "smi.csv", diagnostics);
  REQUIRE(table.ok());
  return std::move(*table);
}

}  // namespace

TEST_CASE("tables of nvidia-smi: names, units, masks, and what is no number") {
  const CounterTable table = parsed(
      "timestamp, index, clocks.current.sm [MHz], power.draw [W], clocks_event_reasons.active, name\n"
      "2026/11/17 13:10:45.500, 1, 900 MHz, 84.25 W, 0x0000000000000024, NVIDIA H200\n"
      "2026/11/17 13:10:46.000, 1, 1980, [N/A], 0x0, NVIDIA H200\r\n");
  REQUIRE(table.counters.size() == 6);
  CHECK(table.counters[2].name == "clocks.current.sm");
  CHECK(table.counters[2].unit == "MHz");
  CHECK(table.counters[4].unit.empty());
  REQUIRE(table.samples.size() == 5);
  CHECK(table.samples[0].local_ns == kSecond * kNs + kNs / 2);
  CHECK(table.samples[0].device == 1);
  CHECK(table.samples[0].value == 900);
  CHECK(table.samples[1].value == 84.25);
  CHECK(table.samples[2].value == 0x24);
  CHECK(table.samples[3].value == 1980);  // without units
  CHECK(table.samples[4].counter == 4);   // the power is not known
}

TEST_CASE("columns may stand in any order, and devices be told by what they are called") {
  const CounterTable table = parsed(
      "uuid, utilization.gpu [%], timestamp\n"
      "GPU-b, 3 %, 2026/11/17 13:10:45\n"
      "GPU-a, 4 %, 2026/11/17 13:10:45\n"
      "GPU-b, 5 %, 2026/11/17 13:10:46\n");
  REQUIRE(table.samples.size() == 3);
  CHECK(table.samples[0].device == 0);
  CHECK(table.samples[1].device == 1);
  CHECK(table.samples[2].device == 0);
  CHECK(table.samples[2].local_ns == (kSecond + 1) * kNs);
}

TEST_CASE("rows without a time or a device are counted") {
  Diagnostics diagnostics;
  const auto table = parse_counter_table(
      "timestamp, index, power.draw [W]\n"
      "2026/13/17 13:10:45, 0, 1 W\n"
      "2026/11/17 13:10:45, x, 1 W\n"
      "2026/11/17 25:10:45, 0, 1 W\n"
      "2026/11/17 13:10:45, 0, 2 W\n"
      "2026/11/1",
      "smi.csv", diagnostics);
  REQUIRE(table.ok());
  CHECK(table->samples.size() == 1);
  CHECK(diagnostics.count(kBadSample) == 4);
}

TEST_CASE("output of dcgmi has times in front, or is refused with how to get them") {
  const CounterTable table = parsed(
      "2026/11/17 13:10:45.0 #Entity   SMCLK   POWER\n"
      "2026/11/17 13:10:45.0 ID\n"
      "2026/11/17 13:10:45.5 GPU 0     1980    345.2\n"
      "2026/11/17 13:10:45.5 GPU 3     N/A     100\n"
      "2026/11/17 13:10:46.0 #Entity   POWER\n"
      "2026/11/17 13:10:46.0 GPU 0     7\n");
  REQUIRE(table.counters.size() == 2);
  REQUIRE(table.samples.size() == 4);
  CHECK(table.samples[0].value == 1980);
  CHECK(table.samples[0].local_ns == kSecond * kNs + kNs / 2);
  CHECK(table.samples[2].device == 3);
  CHECK(table.counters[table.samples[2].counter].name == "POWER");
  CHECK(table.counters[table.samples[3].counter].name == "POWER");
  CHECK(table.samples[3].value == 7);

  Diagnostics diagnostics;
  const auto bare = parse_counter_table("#Entity   SMCLK\nID\nGPU 0     1980\n", "dcgm.txt", diagnostics);
  REQUIRE_FALSE(bare.ok());
  CHECK(bare.error().hint.find("| ts") != std::string::npos);
}

TEST_CASE("other tables with times are not taken for counters") {
  CHECK(is_counter_table("timestamp, index, clocks.current.sm [MHz]\n"));
  CHECK(is_counter_table("index, timestamp, power.draw [W]\n"));
  CHECK(is_counter_table("#Entity   SMCLK\n"));
  CHECK_FALSE(is_counter_table("timestamp,loss,accuracy\n"));
  CHECK_FALSE(is_counter_table("clocks.current.sm [MHz]\n"));
  CHECK_FALSE(is_counter_table("rank,step,optype\n"));
  CHECK_FALSE(is_counter_table(""));
}

}  // namespace orrery::gpu_counters

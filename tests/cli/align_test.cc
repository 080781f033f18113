// orrery align from files to files, on a real capture of four processes whose clocks agree, and on the same with clocks that do not.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "cli/captured_run.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/rewriter.h"
#include "support/temp_dir.h"

using namespace orrery;

namespace {

const std::string kCapture = std::string(ORRERY_SOURCE_DIR) + "/data/jax_cpu4/";

/// Node i of the capture as a clock that is `offset_ps` ahead would have written it.
std::string skewed(const testing::TempDir& dir, int node, TimePs offset_ps) {
  const std::string name = "node" + std::to_string(node) + ".xplane.pb";
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(kCapture + name + ".gz", strings, diagnostics);
  REQUIRE(rank.ok());
  const trace::Clock clock = trace::Clock::offset(offset_ps);
  xspace::Retiming retiming;
  retiming.clock_of_lane.assign(rank->lanes.size(), &clock);
  retiming.epoch_unix_ns = rank->epoch_unix_ns;
  retiming.origin_unix_ns = rank->epoch_unix_ns;
  REQUIRE(xspace::rewrite(kCapture + name + ".gz", dir.path("skewed_" + name), retiming).ok());
  return dir.path("skewed_" + name);
}

TimePs first_start(const std::string& path) {
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(path, strings, diagnostics);
  REQUIRE(rank.ok());
  TimePs first = rank->start[0];
  for (const TimePs start : rank->start) first = std::min(first, start);
  return first + (rank->epoch_unix_ns % 1'000'000'000'000) * 1'000;
}

}  // namespace

TEST_CASE("a capture whose clocks are set apart comes back together, and undo gives the files back") {
  const testing::TempDir dir;
  constexpr TimePs kAheadPs = 3'000'000'000;  // 3 ms
  std::vector<std::string> arguments = {"align", "-o", dir.path("aligned"), "--json"};
  for (int node = 0; node < 4; ++node) arguments.push_back(skewed(dir, node, node == 2 ? kAheadPs : 0));
  const auto run = cli::run_captured(arguments);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\"status\":\"aligned\"") != std::string::npos);
  const TimePs aligned = first_start(dir.path("aligned/skewed_node2.xplane.pb"));
  const TimePs original = first_start(kCapture + "node2.xplane.pb.gz");
  CHECK(std::abs(aligned - original) < 200'000'000);  // within 200 us, from five collectives, of 3 ms
  const auto undone = cli::run_captured({"align", "--undo", dir.path("aligned/skewed_node2.xplane.pb"), "-o", dir.path("undone")});
  CHECK(undone.exit_code == 0);
  CHECK(testing::read_file(dir.path("undone/skewed_node2.xplane.pb")) == testing::read_file(dir.path("skewed_node2.xplane.pb")));
}

TEST_CASE("without anything to go by nothing is written") {
  const testing::TempDir dir;
  const auto run = cli::run_captured({"align", kCapture + "node0.xplane.pb.gz", "-o", dir.path("aligned")});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("uncalibrated") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("aligned")));
}

TEST_CASE("measurements of another run are refused") {
  const testing::TempDir dir;
  const std::string probes =
      dir.write("probes.jsonl", "{\"src\": 0, \"dst\": 1, \"t1\": 1000, \"t2\": 2000, \"t3\": 3000, \"t4\": 4000}\n");
  const auto run = cli::run_captured(
      {"align", kCapture + "node0.xplane.pb.gz", kCapture + "node1.xplane.pb.gz", "--probes", probes, "-o", dir.path("aligned")});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("another run") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("aligned")));
}

TEST_CASE("what cannot be undone leaves no folder behind, and a dry run merges nothing") {
  const testing::TempDir dir;
  CHECK(cli::run_captured({"align", "--undo", kCapture + "node0.xplane.pb.gz", "-o", dir.path("undone")}).exit_code == 3);
  CHECK_FALSE(std::filesystem::exists(dir.path("undone")));
  CHECK(cli::run_captured({"align", kCapture + "node0.xplane.pb.gz", "--dry-run", "--merge", dir.path("m.pb")}).exit_code == 2);
}

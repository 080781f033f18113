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

std::int64_t start_unix_ns() {
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(kCapture + "node0.xplane.pb.gz", strings, diagnostics);
  REQUIRE(rank.ok());
  return rank->epoch_unix_ns;
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

TEST_CASE("the logical clock leaves no violation where the measurements are wrong, says what it cost, and can be undone") {
  const testing::TempDir dir;
  std::vector<std::string> files;
  for (int node = 0; node < 4; ++node) files.push_back(skewed(dir, node, node == 2 ? 30'000'000'000 : 0));
  std::string offsets;
  for (int round = 0; round < 2; ++round) {
    for (int node = 0; node < 4; ++node) {  // as if all clocks agreed
      const std::int64_t at = start_unix_ns() + round * 1'000'000'000;
      offsets += "{\"round_id\":" + std::to_string(round) + ",\"window_start_ns\":" + std::to_string(at) +
                 ",\"window_end_ns\":" + std::to_string(at + 1'000'000) + ",\"node_id\":" + std::to_string(node) +
                 ",\"offset_ns\":0,\"drift_ppm\":0,\"residual\":0,\"reachable\":true,\"converged\":true}\n";
    }
  }
  const std::string path = dir.write("offsets.jsonl", offsets);
  const auto align = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"align", "--offsets", path, "--json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cli::run_captured(arguments);
  };
  const auto without = align({"--dry-run"});
  CHECK(without.out.find("\"after\":{\"collectives\":5,\"messages\":0,\"violated\":0") == std::string::npos);
  const auto run = align({"--clc", "-o", dir.path("aligned")});
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\"A747\"") != std::string::npos);
  CHECK(run.out.find("\"after\":{\"collectives\":5,\"messages\":0,\"violated\":0") != std::string::npos);
  CHECK(testing::read_file(dir.path("aligned/skewed_node0.alignment_stats.json")).find("\"largest_shift_us\":") != std::string::npos);
  std::vector<std::string> written = {"check", "--causality", "--json"};
  for (int node = 0; node < 4; ++node) written.push_back(dir.path("aligned/skewed_node" + std::to_string(node) + ".xplane.pb"));
  CHECK(cli::run_captured(written).out.find("\"violated\":0,") != std::string::npos);
  CHECK(cli::run_captured({"align", "--undo", dir.path("aligned/skewed_node0.xplane.pb"), "-o", dir.path("undone")}).exit_code == 0);
  CHECK(testing::read_file(dir.path("undone/skewed_node0.xplane.pb")) == testing::read_file(files[0]));
}

TEST_CASE("check names mis-paired collectives, pairs of ranks and what it could not check") {
  const testing::TempDir dir;
  const auto write = [&](int rank, const std::string& events) {
    return dir.write("rank" + std::to_string(rank) + ".json", "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" + std::to_string(rank) +
                                                                  ",\"world_size\":2},\"traceEvents\":[" + events + "]}");
  };
  const auto event = [](const std::string& kind, int sequence, int start, int end, const std::string& more = {}) {
    return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl\",\"pid\":0,\"tid\":7,\"ts\":" + std::to_string(start) +
           ",\"dur\":" + std::to_string(end - start) + ",\"args\":{\"Collective name\":\"" + kind +
           "\",\"Seq\":" + std::to_string(sequence) + more + "}}";
  };
  // Only the launch knows the root: rank 1, which starts last.
  const auto with_launch = [&](int start, int end) {
    return event("broadcast", 6, start, end, ",\"External id\":9,\"Process Group Ranks\":\"[0, 1]\"") +
           ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":"
           "{\"Collective name\":\"broadcast\",\"Rank\":1,\"External id\":9}}";
  };
  const std::string a =
      write(0, event("allreduce", 1, 100, 110) + "," + event("allreduce", 2, 200, 210) + "," + event("allreduce", 3, 300, 310) + "," +
                   event("broadcast", 4, 400, 410) + "," + event("send", 5, 600, 610, ",\"Dst Rank\":1") + "," + with_launch(700, 710));
  const std::string b =
      write(1, event("allreduce", 2, 100, 110) + "," + event("allreduce", 1, 200, 210) + "," + event("allreduce", 3, 325, 330) + "," +
                   event("broadcast", 4, 400, 410) + "," + event("recv", 5, 500, 560, ",\"Src Rank\":0") + "," + with_launch(715, 720));
  const auto run = cli::run_captured({"check", "--causality", "--json", a, b});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("\"causality\":{\"collectives\":3,\"messages\":1,\"violated\":3,\"early_ends\":3,\"largest_us\":40,") !=
        std::string::npos);
  CHECK(run.out.find("{\"ends_on\":0,\"starts_on\":1,\"violations\":2,\"largest_us\":15}") != std::string::npos);
  CHECK(run.out.find("\"mispaired\":[{\"collective\":\"nccl\",\"number\":1,\"ranks\":[0,1]}") != std::string::npos);
  CHECK(run.out.find("\"root_unknown\":1") != std::string::npos);
  const auto text = cli::run_captured({"check", "--causality", a, b});
  CHECK(text.out.find("come before themselves") != std::string::npos);
  CHECK(text.out.find("1 whose root is not recorded") != std::string::npos);
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

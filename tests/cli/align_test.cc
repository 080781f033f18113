// orrery align from files to files, on a real capture of four processes whose clocks agree, and on the same with clocks
// that do not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "cli/captured_run.h"
#include "formats/kineto/reader.h"
#include "formats/kineto/rewriter.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/rewriter.h"
#include "support/kineto_ranks.h"
#include "support/temp_dir.h"

using namespace orrery;

namespace {

const std::string kSkewedCapture = std::string(ORRERY_SOURCE_DIR) + "/data/jax_cpu4/";

/// Node i of the capture as a clock that is `offset_ps` ahead would have written it.
std::string skewed(const testing::TempDir& dir, int node, TimePs offset_ps) {
  const std::string name = "node" + std::to_string(node) + ".xplane.pb";
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(kSkewedCapture + name + ".gz", strings, diagnostics);
  REQUIRE(rank.ok());
  const trace::Clock clock = trace::Clock::offset(offset_ps);
  xspace::Retiming retiming;
  retiming.clock_of_lane.assign(rank->lanes.size(), &clock);
  retiming.epoch_unix_ns = rank->epoch_unix_ns;
  retiming.origin_unix_ns = rank->epoch_unix_ns;
  REQUIRE(xspace::rewrite(kSkewedCapture + name + ".gz", dir.path("skewed_" + name), retiming).ok());
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

trace::RankTrace read_kineto(const std::string& path) {
  Interner strings;
  Diagnostics diagnostics;
  auto rank = kineto::read_rank(path, strings, diagnostics);
  REQUIRE(rank.ok());
  return std::move(*rank);
}

std::int64_t first_unix_ns(const trace::RankTrace& rank) {
  return rank.epoch_unix_ns + *std::min_element(rank.start.begin(), rank.start.end()) / kPsPerNs;
}

std::string content_of(const std::string& path) {
  const auto content = read_whole_file(path, 1u << 26);
  REQUIRE(content.ok());
  return *content;
}

/// Four Kineto files, the third compressed, of ranks whose clocks are milliseconds apart and drift.
std::vector<std::string> skewed_kineto_ranks(const testing::TempDir& dir) {
  const testing::RankClock clocks[] = {
      {}, {.ahead_ns = 2'000'500, .ppm = 30}, {.ahead_ns = -700'000, .ppm = -20}, {.ahead_ns = 90'000, .ppm = 5}};
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = "job.rank" + std::to_string(rank) + (rank == 2 ? ".json.gz" : ".json");
    files.push_back(dir.path(name));
    REQUIRE(
        write_whole_file(files.back(), testing::kineto_rank(rank, 4, clocks[rank], 1'600'000'000'000'000'000 + rank))
            .ok());
  }
  return files;
}

std::int64_t start_unix_ns() {
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(kSkewedCapture + "node0.xplane.pb.gz", strings, diagnostics);
  REQUIRE(rank.ok());
  return rank->epoch_unix_ns;
}

}  // namespace

TEST_CASE("Kineto files are written on one clock, nothing happens before its cause, and undo gives the files back") {
  const testing::TempDir dir;
  const std::vector<std::string> files = skewed_kineto_ranks(dir);
  const auto before = cli::run_captured({"check", "--causality", dir.path("*.json*")});
  CHECK(before.out.find(" of 40 collectives") != std::string::npos);
  CHECK(before.out.find("Happens-before: 0 of") == std::string::npos);
  std::vector<std::string> arguments = {"align", "-o", dir.path("aligned")};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const auto run = cli::run_captured(arguments);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("4 nodes on one clock, from collectives") != std::string::npos);
  const auto after =
      cli::run_captured({"check", "--causality", dir.path("aligned")});  // statistics beside the traces are passed over
  CHECK(after.out.find("\nHappens-before: 0 of 40 collectives") != std::string::npos);
  // Every rank's recording ended at the same moment; the ends of a collective lie within 2 us.
  for (const std::string& file : files) {
    const trace::RankTrace here = read_kineto(dir.path("aligned/" + std::filesystem::path(file).filename().string()));
    const std::int64_t last_ns =
        here.epoch_unix_ns + *std::max_element(here.start.begin(), here.start.end()) / kPsPerNs;
    CHECK(std::abs(last_ns - 1'700'000'002'100'000'000) < 3'000);
  }

  const auto undone = cli::run_captured({"align", "--undo", dir.path("aligned/*.json*"), "-o", dir.path("undone")});
  CHECK(undone.exit_code == 0);
  CHECK(undone.out.find("4 files") != std::string::npos);
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).filename().string();
    CHECK(content_of(dir.path("undone/" + name)) == content_of(file));
    CHECK(content_of(dir.path("aligned/" + name)) != content_of(file));
  }
  CHECK(testing::read_file(dir.path("undone/job.rank1.json")) == testing::read_file(files[1]));
}

TEST_CASE("a real capture of four ranks comes back to where it was, by probes") {
  const testing::TempDir dir;
  constexpr std::int64_t kAheadNs[] = {0, 3'000'000, -450'250, 12};
  std::vector<std::string> arguments = {"align", "-o", dir.path("aligned"), "--probes", dir.path("probes.jsonl")};
  std::string probes;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = "ddp4.rank" + std::to_string(rank) + ".kineto.json.gz";
    const std::string original = std::string(ORRERY_SOURCE_DIR) + "/data/" + name;
    const trace::RankTrace here = read_kineto(original);
    const trace::Clock clock = trace::Clock::offset(kAheadNs[rank] * kPsPerNs);
    REQUIRE(kineto::rewrite(original, dir.path(name),
                            {.clock = &clock,
                             .epoch_unix_ns = here.epoch_unix_ns,
                             .base_unix_ns = here.source.base_time_ns.value_or(0)})
                .ok());
    arguments.push_back(dir.path(name));
    for (int i = 0; rank > 0 && i < 60; ++i) {
      const std::int64_t sent = first_unix_ns(here) + i * 5'000'000, seen = sent + 5'000 + kAheadNs[rank];
      probes += fmt::format("{{\"src\": 0, \"dst\": {}, \"t1\": {}, \"t2\": {}, \"t3\": {}, \"t4\": {}}}\n", rank, sent,
                            seen, seen + 1'000, sent + 11'000);
    }
  }
  dir.write("probes.jsonl", probes);
  REQUIRE(cli::run_captured(arguments).exit_code == 0);
  for (int rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    const std::string name = "ddp4.rank" + std::to_string(rank) + ".kineto.json.gz";
    const trace::RankTrace expected = read_kineto(std::string(ORRERY_SOURCE_DIR) + "/data/" + name);
    const trace::RankTrace aligned = read_kineto(dir.path("aligned/" + name));
    CHECK(aligned.event_count() == expected.event_count());
    CHECK(std::abs(first_unix_ns(aligned) - first_unix_ns(expected)) < 500);
  }
  REQUIRE(cli::run_captured({"align", "--undo", dir.path("aligned"), "-o", dir.path("undone")}).exit_code == 0);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = "ddp4.rank" + std::to_string(rank) + ".kineto.json.gz";
    CHECK(content_of(dir.path("undone/" + name)) == content_of(dir.path(name)));
  }
}

TEST_CASE(
    "Kineto files: no file of their own format for all ranks, nothing over the files that were read, no bare lists") {
  const testing::TempDir dir;
  const std::vector<std::string> files = skewed_kineto_ranks(dir);
  const auto merged =
      cli::run_captured({"align", dir.path("job.*"), "-o", dir.path("aligned"), "--merge", dir.path("all.json")});
  CHECK(merged.exit_code == 3);
  CHECK(merged.err.find("--perfetto") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("aligned")));

  const std::string original = testing::read_file(files[1]);
  const auto over = cli::run_captured({"align", dir.path("job.*"), "-o", dir.path()});
  CHECK(over.exit_code == 2);
  CHECK(over.err.find("would overwrite an input") != std::string::npos);
  CHECK(testing::read_file(files[1]) == original);

  REQUIRE(cli::run_captured({"align", dir.path("job.*"), "-o", dir.path("aligned")}).exit_code == 0);
  const auto back =
      cli::run_captured({"align", "--undo", dir.path("aligned/job.rank1.json"), "-o", dir.path("aligned")});
  CHECK(back.exit_code == 2);
  CHECK(back.err.find("would overwrite an input") != std::string::npos);
  CHECK(cli::run_captured({"align", "--undo", files[0], "-o", dir.path("none")}).exit_code == 3);
  CHECK_FALSE(std::filesystem::exists(dir.path("none")));

  const std::string text = testing::kineto_rank(1, 4, {}, 0);
  const std::size_t list = text.find('[');
  dir.write("job.rank1.json", text.substr(list, text.rfind(']') - list + 1));
  const auto bare = cli::run_captured({"align", dir.path("job.*"), "-o", dir.path("bare")});
  CHECK(bare.exit_code == 3);
  CHECK(bare.err.find("bare list of events") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("bare")));  // not even of the ranks that could be written
}

TEST_CASE("a capture whose clocks are set apart comes back together, and undo gives the files back") {
  const testing::TempDir dir;
  constexpr TimePs kAheadPs = 3'000'000'000;  // 3 ms
  std::vector<std::string> arguments = {"align", "-o", dir.path("aligned"), "--json"};
  for (int node = 0; node < 4; ++node) arguments.push_back(skewed(dir, node, node == 2 ? kAheadPs : 0));
  const auto run = cli::run_captured(arguments);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("\"status\":\"aligned\"") != std::string::npos);
  const TimePs aligned = first_start(dir.path("aligned/skewed_node2.xplane.pb"));
  const TimePs original = first_start(kSkewedCapture + "node2.xplane.pb.gz");
  CHECK(std::abs(aligned - original) < 200'000'000);  // within 200 us, from five collectives, of 3 ms
  const auto undone =
      cli::run_captured({"align", "--undo", dir.path("aligned/skewed_node2.xplane.pb"), "-o", dir.path("undone")});
  CHECK(undone.exit_code == 0);
  CHECK(testing::read_file(dir.path("undone/skewed_node2.xplane.pb")) ==
        testing::read_file(dir.path("skewed_node2.xplane.pb")));
}

TEST_CASE("without anything to go by nothing is written") {
  const testing::TempDir dir;
  const auto run = cli::run_captured({"align", kSkewedCapture + "node0.xplane.pb.gz", "-o", dir.path("aligned")});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("uncalibrated") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("aligned")));
}

TEST_CASE(
    "the logical clock leaves no violation where the measurements are wrong, says what it cost, and can be undone") {
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
  CHECK(testing::read_file(dir.path("aligned/skewed_node0.alignment_stats.json")).find("\"largest_shift_us\":") !=
        std::string::npos);
  std::vector<std::string> written = {"check", "--causality", "--json"};
  for (int node = 0; node < 4; ++node)
    written.push_back(dir.path("aligned/skewed_node" + std::to_string(node) + ".xplane.pb"));
  CHECK(cli::run_captured(written).out.find("\"violated\":0,") != std::string::npos);
  CHECK(cli::run_captured({"align", "--undo", dir.path("aligned/skewed_node0.xplane.pb"), "-o", dir.path("undone")})
            .exit_code == 0);
  CHECK(testing::read_file(dir.path("undone/skewed_node0.xplane.pb")) == testing::read_file(files[0]));
}

TEST_CASE("check names mis-paired collectives, pairs of ranks and what it could not check") {
  const testing::TempDir dir;
  const auto write = [&](int rank, const std::string& events) {
    return dir.write("rank" + std::to_string(rank) + ".json",
                     "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" + std::to_string(rank) +
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
           ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
           "\"args\":"
           "{\"Collective name\":\"broadcast\",\"Rank\":1,\"External id\":9}}";
  };
  const std::string a = write(0, event("allreduce", 1, 100, 110) + "," + event("allreduce", 2, 200, 210) + "," +
                                     event("allreduce", 3, 300, 310) + "," + event("broadcast", 4, 400, 410) + "," +
                                     event("send", 5, 600, 610, ",\"Dst Rank\":1") + "," + with_launch(700, 710));
  const std::string b = write(1, event("allreduce", 2, 100, 110) + "," + event("allreduce", 1, 200, 210) + "," +
                                     event("allreduce", 3, 325, 330) + "," + event("broadcast", 4, 400, 410) + "," +
                                     event("recv", 5, 500, 560, ",\"Src Rank\":0") + "," + with_launch(715, 720));
  const auto run = cli::run_captured({"check", "--causality", "--json", a, b});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("\"causality\":{\"answered\":true,\"collectives\":2,\"messages\":1,\"violated\":3,\"early_ends\":"
                     "3,\"largest_us\":40,") != std::string::npos);
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
  const auto run =
      cli::run_captured({"align", kSkewedCapture + "node0.xplane.pb.gz", kSkewedCapture + "node1.xplane.pb.gz",
                         "--probes", probes, "-o", dir.path("aligned")});
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("another run") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("aligned")));
}

TEST_CASE("what cannot be undone leaves no folder behind, and a dry run merges nothing") {
  const testing::TempDir dir;
  CHECK(cli::run_captured({"align", "--undo", kSkewedCapture + "node0.xplane.pb.gz", "-o", dir.path("undone")})
            .exit_code == 3);
  CHECK_FALSE(std::filesystem::exists(dir.path("undone")));
  CHECK(cli::run_captured({"align", kSkewedCapture + "node0.xplane.pb.gz", "--dry-run", "--merge", dir.path("m.pb")})
            .exit_code == 2);
}

// What orrery align says to files that are damaged, incomplete or of different runs: a sentence, the right exit code,
// and no output in part.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cli/captured_run.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/rewriter.h"
#include "support/temp_dir.h"

using namespace orrery;

namespace {

const std::string kCapture = std::string(ORRERY_SOURCE_DIR) + "/data/jax_cpu4/";

std::string node(int number) { return kCapture + "node" + std::to_string(number) + ".xplane.pb.gz"; }

/// Unix ns some way into the capture.
std::int64_t during_capture() {
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(node(0), strings, diagnostics);
  REQUIRE(rank.ok());
  return rank->epoch_unix_ns + rank->start[rank->event_count() / 2] / 1000;
}

/// Three rounds of offsets of zero for the first `nodes` nodes.
std::string offsets(std::int64_t from_unix_ns, int nodes) {
  std::string rows;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < nodes; ++i)
      rows += fmt::format(
          "{{\"round_id\": {}, \"window_start_ns\": {}, \"window_end_ns\": {}, \"node_id\": {}, \"offset_ns\": 0.0, "
          "\"residual\": "
          "300.0}}\n",
          round, from_unix_ns + round * 100'000'000, from_unix_ns + (round + 1) * 100'000'000, i);
  }
  return rows;
}

std::string probes(std::int64_t from_unix_ns) {
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t t = from_unix_ns + i * 5'000'000;
    rows += fmt::format("{{\"src\": 0, \"dst\": 1, \"t1\": {}, \"t2\": {}, \"t3\": {}, \"t4\": {}}}\n", t, t + 20'000,
                        t + 21'000, t + 41'000);
  }
  return rows;
}

struct Attempt {
  testing::TempDir dir;
  cli::CapturedRun run;

  void align(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"align", "-o", dir.path("aligned")});
    run = cli::run_captured(arguments);
  }
  [[nodiscard]] bool wrote() const { return std::filesystem::exists(dir.path("aligned")); }
  [[nodiscard]] bool says(std::string_view words) const {
    return run.err.find(words) != std::string::npos || run.out.find(words) != std::string::npos;
  }
};

}  // namespace

TEST_CASE("a trace that is cut short is refused with its place, and nothing is written of the others") {
  Attempt attempt;
  const std::string bytes = testing::read_file(node(0));
  REQUIRE(bytes.size() > 1000);
  attempt.align({node(1), attempt.dir.write("node5.xplane.pb.gz", bytes.substr(0, bytes.size() / 2))});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("node5.xplane.pb.gz"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("a trace that is no trace, or empty") {
  Attempt attempt;
  attempt.align({node(0), attempt.dir.write("node1.xplane.pb", "\xEF\xBF\xBD\xEF\xBF\xBD what was a profile")});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("not a well-formed XSpace"));
  attempt.align({node(0), attempt.dir.write("node1.xplane.pb", "")});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("empty"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("a node that the offsets do not name is reached by collectives, and that is said") {
  Attempt attempt;
  attempt.align({node(0), node(1), node(2), "--offsets", attempt.dir.write("o.jsonl", offsets(during_capture(), 2))});
  CHECK(attempt.run.exit_code == 0);
  CHECK(attempt.says("A754"));
  CHECK(attempt.says("node 2"));
}

TEST_CASE("offsets of another run, or of nodes that are not here") {
  Attempt attempt;
  attempt.align(
      {node(0), node(1), "--offsets", attempt.dir.write("o.jsonl", offsets(during_capture() + 3'600'000'000'000, 2))});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("another run"));
  attempt.align(
      {node(2), node(3), "--reference", "2", "--probes", attempt.dir.write("p.jsonl", probes(during_capture()))});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("A711"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("a trace of another run that nothing connects is refused") {
  Attempt attempt;
  const std::string later = std::string(ORRERY_SOURCE_DIR) + "/data/jax_skewed4/node3.xplane.pb.gz";
  attempt.align({node(0), node(1), later});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("one run"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("two traces of one node are refused, and nothing is written") {
  Attempt attempt;
  attempt.align({node(0), attempt.dir.write("other/node0.xplane.pb.gz", testing::read_file(node(1)))});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("same node"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("a clock that nobody set since 1970 comes to the others by its collectives, and back") {
  Attempt attempt;
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(node(2), strings, diagnostics);
  REQUIRE(rank.ok());
  xspace::Retiming unset;
  unset.epoch_unix_ns = unset.origin_unix_ns = rank->epoch_unix_ns;
  unset.era_ns = -rank->epoch_unix_ns + 86'400'000'000'000;  // the profile begins on January 2nd
  const std::string path = attempt.dir.path("node2.xplane.pb");
  REQUIRE(xspace::rewrite(node(2), path, unset).ok());
  attempt.align({node(0), node(1), path});
  CHECK(attempt.run.exit_code == 0);
  CHECK(attempt.says("A755"));
  CHECK(attempt.says("node 2: -56"));
  const auto aligned = xspace::read_rank(attempt.dir.path("aligned/node2.xplane.pb"), strings, diagnostics);
  REQUIRE(aligned.ok());
  const double apart_ns = static_cast<double>(aligned->epoch_unix_ns - rank->epoch_unix_ns) +
                          static_cast<double>(aligned->start[0] - rank->start[0]) / 1e3;
  CHECK(std::abs(apart_ns) < 200e3);  // from five collectives
  CHECK(cli::run_captured(
            {"align", "--undo", attempt.dir.path("aligned/node2.xplane.pb"), "-o", attempt.dir.path("undone")})
            .exit_code == 0);
  CHECK(testing::read_file(attempt.dir.path("undone/node2.xplane.pb")) == testing::read_file(path));
}

TEST_CASE("clocks years apart without anything that connects them are refused, with --force too") {
  Attempt attempt;
  Interner strings;
  Diagnostics diagnostics;
  const auto rank = xspace::read_rank(node(1), strings, diagnostics);
  REQUIRE(rank.ok());
  xspace::Retiming unset;
  unset.epoch_unix_ns = unset.origin_unix_ns = rank->epoch_unix_ns;
  unset.era_ns = -rank->epoch_unix_ns;
  const std::string path = attempt.dir.path("node1.xplane.pb");
  REQUIRE(xspace::rewrite(node(1), path, unset).ok());
  const std::string skewed = std::string(ORRERY_SOURCE_DIR) + "/data/jax_skewed4/node0.xplane.pb.gz";
  attempt.align({skewed, path, "--force"});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("26 days"));
  CHECK_FALSE(attempt.wrote());
}

TEST_CASE("measurements that are named twice count once") {
  Attempt attempt;
  const std::string rows = probes(during_capture());
  const std::string one = attempt.dir.write("p.jsonl", rows), other = attempt.dir.write("q.jsonl", rows);
  attempt.align({node(0), node(1), "--probes", one, "--probes", other, "--json"});
  CHECK(attempt.run.exit_code == 0);
  CHECK(attempt.says("A753"));
  const std::size_t used = attempt.run.out.find("\"observations_used\":45");  // 40 exchanges and 5 collectives
  CHECK(used != std::string::npos);
}

TEST_CASE("measurements without a usable row are refused; broken rows between good ones are counted") {
  Attempt attempt;
  attempt.align({node(0), node(1), "--probes", attempt.dir.write("empty.jsonl", "")});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("empty"));
  attempt.align({node(0), node(1), "--probes", attempt.dir.write("broken.jsonl", "{\"src\": 0,\n[]\nnothing\n")});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("no usable row"));
  CHECK_FALSE(attempt.wrote());
  attempt.align({node(0), node(1), "--probes",
                 attempt.dir.write("mixed.jsonl", "{\"src\": 0,\n" + probes(during_capture()) + "[]\n")});
  CHECK(attempt.run.exit_code == 0);
  CHECK(attempt.says("A701"));
}

TEST_CASE("one trace alone comes to the clock of node 0 by offsets, under the name that is given") {
  Attempt attempt;
  const std::string rows = attempt.dir.write("o.jsonl", offsets(during_capture(), 2));
  const std::string out = attempt.dir.path("one.xplane.pb");
  attempt.run = cli::run_captured({"align", "--trace", node(1), "--offsets", rows, "--output", out});
  CAPTURE(attempt.run.err);
  CHECK(attempt.run.exit_code == 0);
  CHECK(std::filesystem::is_regular_file(out));
  CHECK(std::filesystem::exists(attempt.dir.path("one.alignment_stats.json")));
  // The other way round: without a word about node 1 there is nothing to go by.
  attempt.run = cli::run_captured({"align", "--trace", node(3), "--offsets", rows, "--output", out});
  CHECK(attempt.run.exit_code == 3);
  CHECK(attempt.says("none of the clock measurements is of a node with a trace"));
}

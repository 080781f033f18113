// orrery link on the command line: which files belong together, what is written where, and when it refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "captured_run.h"
#include "cli/frame/verbs.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

using orrery::testing::TempDir;

CapturedRun run_link(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "link");
  return run_captured(arguments, verbs(), false);
}

std::string data(const std::string& name) { return std::string(ORRERY_SOURCE_DIR) + "/data/" + name; }

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> calls4(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"--host", data("calls4.rank0.et.json.gz"), "--device",
                                        data("calls4.rank0.kineto.json.gz")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("one rank into a Chakra file; the same bytes whatever the flags are called") {
  const TempDir dir;
  const CapturedRun ours = run_link(calls4({"-o", dir.path("a.et")}));
  CHECK(ours.exit_code == 0);
  CHECK(ours.out.find("off by at most 0.0000 %") != std::string::npos);
  CHECK(ours.out.find("120 of 120 found in the profiler trace") != std::string::npos);
  const CapturedRun theirs =
      run_link({"--rank", "0", "--chakra-host-trace", data("calls4.rank0.et.json.gz"), "--chakra-device-trace",
                data("calls4.rank0.kineto.json.gz"), "--output-file", dir.path("b.et")});
  CHECK(theirs.exit_code == 0);
  CHECK_FALSE(content(dir.path("a.et")).empty());
  CHECK(content(dir.path("a.et")) == content(dir.path("b.et")));
}

TEST_CASE("several ranks: a file per rank behind the name given") {
  const TempDir dir;
  std::vector<std::string> arguments = {"-o", dir.path("job")};
  for (const char* rank : {"0", "1", "2", "3"}) {
    arguments.push_back(data("ddp4.rank" + std::string(rank) + ".et.json.gz"));
    arguments.push_back(data("ddp4.rank" + std::string(rank) + ".kineto.json.gz"));
  }
  CHECK(run_link(arguments).exit_code == 0);
  for (const char* rank : {"0", "1", "2", "3"})
    CHECK(std::filesystem::exists(dir.path("job." + std::string(rank) + ".et")));
  const CapturedRun one =
      run_link({"--rank", "2", "--json", data("ddp4.rank1.kineto.json.gz"), data("ddp4.rank2.kineto.json.gz")});
  CHECK(one.exit_code == 0);
  CHECK(one.out.find("\"residual_pct\":0") != std::string::npos);
}

TEST_CASE("a linked host trace, ours and Chakra's") {
  const TempDir dir;
  CHECK(run_link(calls4({"-o", dir.path("ours.json")})).exit_code == 0);
  CHECK(content(dir.path("ours.json")).find("\"inclusive_dur\"") != std::string::npos);
  const auto ddp4 = [&](const std::string& file) {
    return run_link({"--host", data("ddp4.rank0.et.json.gz"), "--device", data("ddp4.rank0.kineto.json.gz"), "--compat",
                     "chakra", "-o", file});
  };
  CHECK(ddp4(dir.path("theirs.json")).exit_code == 0);
  CHECK(ddp4(dir.path("both.et")).exit_code == 0);
  CHECK(run_link({"PyTorch", "--input", dir.path("theirs.json"), "--output", dir.path("second.et"), "--simulate"})
            .exit_code == 0);
  CHECK_FALSE(content(dir.path("both.et")).empty());
  CHECK(content(dir.path("both.et")) == content(dir.path("second.et")));
}

TEST_CASE("what does not belong together ends with exit code 3 and the numbers; nothing is written") {
  const TempDir dir;
  const CapturedRun result = run_link({"--host", data("calls4.rank0.et.json.gz"), "--device",
                                       data("gpt_small.kineto.json.gz"), "-o", dir.path("x.et")});
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("of another run") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("x.et")));
  CHECK(run_link({"--host", data("calls4.rank0.et.json.gz")}).exit_code == 3);
  const CapturedRun twice =
      run_link({data("calls4.rank0.kineto.json.gz"), data("ddp4.rank0.kineto.json.gz"), "-o", dir.path("job")});
  CHECK(twice.exit_code == 3);
  CHECK(twice.err.find("these are 2 runs, not the ranks of one job") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir.path("job.0.et")));
  CHECK(run_link({"--device", data("calls4.rank0.kineto.json.gz"), "-o", dir.path("x.json")}).exit_code == 3);
  CHECK(run_link(calls4({"--compat", "chakra"})).exit_code == 2);
}

}  // namespace orrery::cli

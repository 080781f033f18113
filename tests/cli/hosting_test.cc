#include "cli/frame/hosting.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "cli/captured_run.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

const std::string kData = std::string(ORRERY_SOURCE_DIR) + "/data/";

CapturedRun run_hosted(const std::vector<std::string>& arguments, Hosting& hosting) {
  CapturedRun result;
  const Console console{.write_out = [&](std::string_view text) { return result.out += text, 0; },
                        .write_err = [&](std::string_view text) { result.err += text; }};
  result.exit_code = static_cast<int>(run(arguments, console, verbs(), &hosting));
  return result;
}

std::shared_ptr<const ask::OpenedTrace> must_open(const std::vector<std::string>& named) {
  auto opened = ask::open_trace(named, false);
  REQUIRE(opened.ok());
  return *opened;
}

}  // namespace

TEST_CASE("a job that was opened is not read again, and answers what its files do") {
  const orrery::testing::TempDir folder;
  const std::string file = folder.path() + "/trace.json.gz";
  std::filesystem::copy_file(kData + "gpt_small.kineto.json.gz", file);
  const std::vector<std::vector<std::string>> questions = {{"--json", "path", file},
                                                           {"--json", "info", file},
                                                           {"--json", "check", file},
                                                           {"--json", "breakdown", file},
                                                           {"--json", "whatif", file, "op * 0.5"},
                                                           {"--json", "path", file, "--rank", "0"}};
  std::vector<CapturedRun> from_files;
  for (const auto& question : questions) from_files.push_back(run_captured(question));
  Hosting hosting{.opened = {must_open({file})}};
  std::filesystem::remove(file);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const CapturedRun hosted = run_hosted(questions[i], hosting);
    CAPTURE(questions[i][1]);
    CHECK(hosted.exit_code == from_files[i].exit_code);
    // Provenance included: the file as it was when it was opened.
    CHECK(hosted.out == from_files[i].out);
  }
}

TEST_CASE("several files stand for one operand, and one rank of them is as it is alone") {
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) files.push_back(kData + "ddp4.rank" + std::to_string(rank) + ".kineto.json.gz");
  const auto opened = must_open(files);
  Hosting hosting{.opened = {opened}};
  const auto data_of = [](const CapturedRun& run) {
    const std::size_t begin = run.out.find("\"data\":");
    return run.out.substr(begin, run.out.find("\"diagnostics\":") - begin);
  };
  const CapturedRun job = run_hosted({"--json", "whatif", opened->operand, "rank:1 kernel * 0.5"}, hosting);
  CHECK(job.exit_code == 0);
  CHECK(data_of(job) ==
        data_of(run_captured({"--json", "whatif", kData + "ddp4.rank*.kineto.json.gz", "rank:1 kernel * 0.5"})));
  std::vector<std::string> question = {"--json", "path", "--rank", "2"};
  question.insert(question.end(), files.begin(), files.end());
  CHECK(data_of(run_hosted(question, hosting)) == data_of(run_captured(question)));
  CHECK(opened->alone.size() == 1);
}

TEST_CASE("who runs a verb learns what went wrong") {
  Hosting hosting;
  CHECK(run_hosted({"path", "/no/such/file.json"}, hosting).exit_code == 3);
  REQUIRE(hosting.failure);
  CHECK(hosting.failure->code == ExitCode::bad_input);
  CHECK(hosting.failure->file == "/no/such/file.json");
  Hosting usage;
  CHECK(run_hosted({"pth"}, usage).exit_code == 2);
  REQUIRE(usage.failure);
  CHECK(usage.failure->code == ExitCode::usage);
  Hosting well;
  run_hosted({"--version"}, well);
  CHECK_FALSE(well.failure);
}

TEST_CASE("ranks that the caller gives to files count instead of what HTA finds in them") {
  const std::string file = kData + "gpt_small.kineto.json.gz";
  Hosting hosting{.ranks = {{file, 5}}};
  CHECK(run_hosted({"--json", "breakdown", "--compat", "hta", file}, hosting).out.find("\"ranks\":[5]") !=
        std::string::npos);
}

}  // namespace orrery::cli

// What several processes answer is what one answers, byte for byte; and what happens where they cannot.
#include "mpi/team.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace orrery::testing {
namespace {

const std::vector<std::string> kFourRanks = {
    data_folder() + "ddp4.rank0.kineto.json.gz", data_folder() + "ddp4.rank1.kineto.json.gz",
    data_folder() + "ddp4.rank2.kineto.json.gz", data_folder() + "ddp4.rank3.kineto.json.gz"};

std::vector<std::string> of_four_ranks(std::string verb, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{std::move(verb)};
  arguments.insert(arguments.end(), kFourRanks.begin(), kFourRanks.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void check_same(int processes, const std::vector<std::string>& arguments) {
  CAPTURE(processes);
  CAPTURE(arguments[0]);
  const Ended one = run_alone(arguments), many = run_team(processes, arguments);
  CHECK(many.code == one.code);
  CHECK(many.out == one.out);
  CHECK(!one.out.empty());
  // mpirun adds words of its own where the exit code is not 0.
  if (one.code == 0) CHECK(many.err == one.err);
}

}  // namespace

TEST_CASE("files are read by all, and the answer is that of one") {
  check_same(2, of_four_ranks("info", {"--json"}));
  check_same(3, of_four_ranks("info", {}));
  check_same(8, of_four_ranks("check", {"--causality", "--json"}));
  check_same(3, of_four_ranks("check", {}));
  check_same(3, of_four_ranks("path", {"--json"}));
  check_same(2, of_four_ranks("blame", {"--json"}));
  check_same(8, of_four_ranks("blame", {"--reduce", "always", "--json"}));
}

TEST_CASE("other formats go the same way") {
  check_same(3, {"info", data_folder() + "jax_skewed4", "--json"});
  check_same(2, {"check", data_folder() + "jax_skewed4", "--json"});
  check_same(2, {"info", data_folder() + "mpi/halo9", "--json"});
}

TEST_CASE("what there is nothing to share of is done once") {
  check_same(2, {"--version"});
  check_same(2, {"path", data_folder() + "gpt_small.kineto.json.gz", "--json"});
}

TEST_CASE("points of a sweep are solved by all") {
  const std::string factors = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,1.9,2";
  check_same(3, {"whatif", data_folder() + "gpt_small.kineto.json.gz", "cpu * 1", "--sweep", factors, "--json"});
  const TempDir folder;
  for (const std::string& file : kFourRanks) std::filesystem::copy(file, folder.path());
  check_same(2, {"whatif", folder.path(), "cpu * 1", "--sweep", factors, "--csv"});
  check_same(2, {"llm", data_folder() + "llm/gpt_3_175b_64xa100.yml", "--sweep", "--json"});
}

TEST_CASE("an error is said once, as one process says it") {
  const TempDir folder;
  const std::string good = folder.path("rank0.json.gz");
  std::filesystem::copy(kFourRanks[0], good);
  const std::string bad = folder.write("rank1.json", "{\"traceEvents\": [{\"ph\": \"X\",");
  const Ended one = run_alone({"info", good, bad}), many = run_team(3, {"info", good, bad});
  CHECK(one.code == 3);
  CHECK(many.code == 3);
  CHECK(many.out.empty());
  CHECK(many.err.substr(0, one.err.size()) == one.err);
  const Ended usage = run_team(2, {"info", "--nonsense"});
  CHECK(usage.code == 2);
  CHECK(usage.out.empty());
}

TEST_CASE("without the plugin nobody works, which is said once") {
  const TempDir folder;
  const std::vector<std::string> convert = {"path", kFourRanks[0], "--overlay", folder.path("overlay.json")};
  const Ended ended = run_team(3, convert, {"ORRERY_MPI_PLUGIN=/no/such/plugin.so"});
  CHECK(ended.code == 2);
  CHECK(ended.out.empty());
  const std::size_t first = ended.err.find("orrery: error: ");
  REQUIRE(first != std::string::npos);
  CHECK(ended.err.find("orrery: error", first + 1) == std::string::npos);
  CHECK(ended.err.find("3 processes") != std::string::npos);
  CHECK(ended.err.find("hint: ") != std::string::npos);
  CHECK(!std::filesystem::exists(folder.path("overlay.json")));
}

TEST_CASE("one process under a launcher needs no plugin") {
  const Ended ended = run_team(1, {"--version"}, {"ORRERY_MPI_PLUGIN=/no/such/plugin.so"});
  CHECK(ended.code == 0);
}

TEST_CASE("a process that ends early ends the job, and the same command goes on") {
  const TempDir folder;
  const std::string checkpoint = folder.path("points");
  std::string factors = "0.001";
  for (int i = 2; i <= 3000; ++i) factors += "," + std::to_string(0.001 * i);
  std::vector<std::string> arguments = {
      "whatif", data_folder() + "gpt_wide_bf16.kineto.json.gz", "cpu * 1", "--sweep", factors, "--threads", "1",
      "--csv"};
  const Ended plain = run_alone(arguments);
  REQUIRE(plain.code == 0);
  arguments.insert(arguments.end(), {"--checkpoint", checkpoint});
  Started team(team_command(3, arguments));
  const auto size = [&] {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(checkpoint, none);
    return none ? 0 : bytes;
  };
  const std::uint64_t header = factors.size() + 300;
  for (int tries = 0; tries < 3000 && size() < header + 2000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::vector<pid_t> workers = team.workers();
  REQUIRE(workers.size() == 3);
  ::kill(workers.back(), SIGKILL);
  const Ended ended = team.end();
  CHECK(ended.code != 0);
  CHECK(ended.out.empty());
  CHECK(ended.err.find(" of 3 ended; ") != std::string::npos);
  CHECK(ended.err.find("of 3,000 points are in " + checkpoint + ": run the same command again") != std::string::npos);
  const std::uint64_t kept = size();
  CHECK(kept > header);

  const Ended again = run_team(2, arguments);
  CHECK(again.code == 0);
  CHECK(again.out == plain.out);
  CHECK(size() > kept);
  // Now all points are there, for one process as well.
  const Ended alone = run_alone(arguments);
  CHECK(alone.out == plain.out);
}

}  // namespace orrery::testing

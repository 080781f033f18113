// Ctrl-C and kill, as the shell sees them.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include "base/io/file_content.h"
#include "cli/shell.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

// Starts the program, sends `signal` as soon as `condition` holds (or the program is over), and tells how it ended.
int interrupted(const std::string& arguments, const std::string& condition, const std::string& signal) {
  const std::string script = std::string(ORRERY_BINARY) + " " + arguments +
                             " >/dev/null 2>&1 & p=$!; while kill -0 $p; do if " + condition + "; then kill -" +
                             signal + " $p; break; fi; done; wait $p";
  // A background job of a shell without job control ignores SIGINT, which the program would respect; env undoes that.
  return shell("env --default-signal=INT bash -c 'set -m; " + script + "' 2>/dev/null").exit_code;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("Ctrl-C while a file is written leaves the old one and nothing else") {
  const testing::TempDir folder;
  const std::string old = folder.write("out/all_reduce.0.et", "old");
  const std::string aside = "compgen -G " + folder.path("out") + "/*.part-*";
  const std::string command = "generate all_reduce --ranks 2 --repetitions 500000 -o " + folder.path("out");
  CHECK(interrupted(command, aside, "INT") == 130);
  CHECK(files_in(folder.path("out")) == 1);
  CHECK(*read_whole_file(old, 100) == "old");
  CHECK(interrupted(command, aside, "TERM") == 143);
  CHECK(files_in(folder.path("out")) == 1);
}

TEST_CASE("Ctrl-C while a simulation waits for ASTRA-sim ends both, at once, and removes what was made for it") {
  const testing::TempDir folder;
  const std::string sidecar =
      folder.write("astra.sh", "#!/bin/sh\necho $$ > " + folder.path("child") + "\nexec sleep 600\n");
  std::filesystem::permissions(sidecar, std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder.path("scratch"));
  REQUIRE(shell(std::string(ORRERY_BINARY) + " generate all_reduce --ranks 8 -o " + folder.path("et")).exit_code == 0);
  const auto start = std::chrono::steady_clock::now();
  ::setenv("TMPDIR", folder.path("scratch").c_str(), 1);
  const int code = interrupted("simulate --workload " + folder.path("et/all_reduce") +
                                   " --machine " ORRERY_SOURCE_DIR
                                   "/data/machines/dgx_h100.yaml --network-model astra-sidecar --sidecar " +
                                   sidecar,
                               "[ -s " + folder.path("child") + " ]", "INT");
  ::unsetenv("TMPDIR");
  CHECK(code == 130);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(300));
  CHECK(files_in(folder.path("scratch")) == 0);
  // Killed, but perhaps not buried: a zombie counts as gone.
  CHECK(shell("for i in $(seq 100); do grep -q '^State:.[RSD]' /proc/$(cat " + folder.path("child") +
              ")/status 2>/dev/null || exit 0; sleep 0.1; done; exit 1")
            .exit_code == 0);
}

TEST_CASE("a simulation that computes ends at once, and a signal that is ignored stays ignored") {
  const testing::TempDir folder;
  REQUIRE(
      shell(std::string(ORRERY_BINARY) + " generate all_to_all --ranks 64 --repetitions 20000 -o " + folder.path("et"))
          .exit_code == 0);
  const std::string command = "simulate --no-symmetry --workload " + folder.path("et/all_to_all") +
                              " --machine " ORRERY_SOURCE_DIR "/data/machines/gb200_nvl72.yaml -o " +
                              folder.path("out.json.gz");
  CHECK(interrupted(command, "sleep 0.3", "INT") == 130);
  CHECK_FALSE(std::filesystem::exists(folder.path("out.json.gz")));
  CHECK(
      shell("bash -c 'trap \"\" INT; " + std::string(ORRERY_BINARY) + " --version >/dev/null & kill -INT $!; wait $!'")
          .exit_code == 0);
}

}  // namespace orrery::cli

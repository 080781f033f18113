// What docs/SCALE.md tells people to type, and the scripts of examples/slurm, work.
#include <doctest/doctest.h>

#include <filesystem>

#include "mpi/team.h"

namespace orrery::testing {
namespace {

/// A folder with the shipped data, from which commands of documents are run.
Ended run_shell(const std::string& command, const TempDir& folder) {
  const std::string program = std::filesystem::path(ORRERY_BINARY).parent_path().string();
  const std::string launcher = std::filesystem::path(ORRERY_MPIRUN).parent_path().string();
  return Started(
             {"bash", "-c", "cd " + folder.path() + " && " + command},
             {"PATH=" + program + ":" + launcher + ":/usr/bin:/bin", "OMPI_ALLOW_RUN_AS_ROOT=1",
              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1", "ORRERY_LAUNCHER=mpirun -n 2"})
      .end();
}

}  // namespace

TEST_CASE("the commands of docs/SCALE.md") {
  const TempDir folder;
  std::filesystem::create_directory_symlink(data_folder(), folder.path("data"));
  std::ifstream document(ORRERY_SOURCE_DIR "/docs/SCALE.md");
  std::size_t commands = 0;
  bool is_console = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) is_console = line == "```console";
    if (!is_console || !line.starts_with("$ ")) continue;
    const Ended ended = run_shell(line.substr(2), folder);
    CAPTURE(line);
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(!ended.out.empty());
    ++commands;
  }
  CHECK(commands >= 3);
}

TEST_CASE("the sweep of examples/slurm, with mpirun in place of srun") {
  const TempDir folder;
  std::filesystem::create_directory_symlink(data_folder(), folder.path("data"));
  const std::string command = "bash " ORRERY_SOURCE_DIR
                              "/examples/slurm/sweep.sbatch data/gpt_small.kineto.json.gz 'cpu * 1' 0.5,1,2 sweep.json";
  const Ended ended = run_shell(command, folder);
  CAPTURE(ended.err);
  CHECK(ended.code == 0);
  CHECK(content_of(folder.path("sweep.json")).find("\"sweep\"") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path("sweep.json.points")));
}

TEST_CASE("the report of examples/slurm, with mpirun in place of srun") {
  if (run_alone({"report", "--help"}).code != 0) return;  // the verb is not there
  const TempDir folder;
  std::filesystem::create_directories(folder.path("traces"));
  for (const char* rank : {"0", "1", "2", "3"})
    std::filesystem::copy(data_folder() + "ddp4.rank" + rank + ".kineto.json.gz", folder.path("traces"));
  const Ended ended = run_shell("bash " ORRERY_SOURCE_DIR "/examples/slurm/report.sbatch traces report.html", folder);
  CAPTURE(ended.err);
  CHECK(ended.code == 0);
  CHECK(std::filesystem::exists(folder.path("report.html")));
}

}  // namespace orrery::testing

// What can be told without a launcher; the rest is in tests/mpi.
#include "base/team/process_team.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/packed.h"

namespace orrery {
namespace {

/// The launcher's words, taken back at the end.
class Launcher {
 public:
  Launcher(std::initializer_list<std::pair<const char*, const char*>> variables) : variables_(variables) {
    for (const auto& [name, value] : variables_) ::setenv(name, value, 1);
  }
  ~Launcher() {
    for (const auto& [name, value] : variables_) ::unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, const char*>> variables_;
};

}  // namespace

TEST_CASE("launchers say how many processes there are") {
  CHECK(launched_as().processes == 1);
  {
    const Launcher open_mpi{{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "3"}};
    CHECK(launched_as().processes == 8);
    CHECK(launched_as().process == 3);
  }
  {
    const Launcher mpich{{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}};
    CHECK(launched_as().processes == 2);
    CHECK(launched_as().process == 1);
  }
  {
    const Launcher srun{{"SLURM_NTASKS", "4"}, {"PMIX_RANK", "2"}};
    CHECK(launched_as().processes == 4);
    CHECK(launched_as().process == 2);
  }
}

TEST_CASE("who was not started as one of several is alone") {
  {
    const Launcher script_of_sbatch{{"SLURM_NTASKS", "4"}};
    CHECK(launched_as().processes == 1);
  }
  {
    const Launcher one{{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}};
    CHECK(launched_as().processes == 1);
  }
  {
    const Launcher odd{{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}};
    CHECK(launched_as().processes == 1);
  }
  {
    const Launcher within_another_job{
        {"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"ORRERY_MPI_PLUGIN", "none"}};
    CHECK(launched_as().processes == 1);
  }
}

TEST_CASE("a plugin that is not there is said with what to do") {
  const Launcher open_mpi{{"ORRERY_MPI_PLUGIN", "/no/such/plugin.so"}};
  const auto team = ProcessTeam::join({.process = 0, .processes = 5}, "1");
  REQUIRE(!team);
  CHECK(team.error().message.find("5 processes") != std::string::npos);
  CHECK(team.error().message.find("/no/such/plugin.so") != std::string::npos);
  CHECK(!team.error().hint.empty());
}

TEST_CASE("packed values come back, and what is missing is noticed") {
  const std::string bytes = PackedWriter().number(7).integer(-7).real(0.5).text("a\0b").text("").take();
  PackedReader reader(bytes);
  CHECK(reader.number() == 7);
  CHECK(reader.integer() == -7);
  CHECK(reader.real() == 0.5);
  CHECK(reader.text() == "a");
  CHECK(reader.text() == "");
  CHECK(reader.ok());
  CHECK(reader.at_end());
  CHECK(reader.number() == 0);
  CHECK(!reader.ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    PackedReader cut(std::string_view(bytes).substr(0, size));
    cut.number(), cut.integer(), cut.real(), cut.text(), cut.text();
    CHECK(!cut.ok());
  }
}

}  // namespace orrery
